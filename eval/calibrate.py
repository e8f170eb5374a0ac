"""Fit the decision to abstain: ridge logistic regression on `dev`, by Newton's method; the weights are data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.abstain import FEATURES

Float64 = NDArray[np.float64]

TOLERATED = {"wrong": 0.03, "missed": 0.07}


def fit(rows: Sequence[dict[str, float]], labels: Sequence[bool], ridge: float = 1.0) -> dict[str, Any]:
    """Return the fields of an `Abstainer`.

    The threshold lies midway between two neighbouring scores, where wrong refusals and missed ones, each
    as a multiple of what is tolerated (TOLERATED), cost least together.
    """
    x = np.array([[row[name] for name in FEATURES] for row in rows], dtype=np.float64)
    y = np.array(labels, dtype=np.float64)
    centre, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
    weights = _newton(np.column_stack([(x - centre) / scale, np.ones(len(x))]), y, ridge)
    scores = 1 / (1 + np.exp(-(np.column_stack([(x - centre) / scale, np.ones(len(x))]) @ weights)))
    return {
        "weights": _named(weights[:-1]),
        "centre": _named(centre),
        "scale": _named(scale),
        "bias": round(float(weights[-1]), 6),
        "threshold": round(_threshold(scores, y), 6),
    }


def _newton(x: Float64, y: Float64, ridge: float) -> Float64:
    penalty = ridge * np.eye(x.shape[1])
    penalty[-1, -1] = 1e-6  # the bias is free
    weights = np.zeros(x.shape[1])
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (p - y) + penalty @ weights
        step = np.linalg.solve((x.T * (p * (1 - p))) @ x + penalty, gradient)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights


def _threshold(scores: Float64, y: Float64) -> float:
    ordered = np.unique(scores)
    middles = (ordered[1:] + ordered[:-1]) / 2

    def cost(threshold: float) -> float:
        wrong = float((scores[y == 1] < threshold).mean())
        missed = float((scores[y == 0] >= threshold).mean())
        return wrong / TOLERATED["wrong"] + missed / TOLERATED["missed"]

    return float(min(middles, key=cost))


def _named(values: Float64) -> dict[str, float]:
    return {name: round(float(value), 6) for name, value in zip(FEATURES, values, strict=True)}
