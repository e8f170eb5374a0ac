"""Fit the decision to abstain: ridge logistic regression on `dev`, by Newton's method; the weights are data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.abstain import FEATURES

Float64 = NDArray[np.float64]


def fit(rows: Sequence[dict[str, float]], labels: Sequence[bool], ridge: float = 1.0, false_refusals: float = 0.02) -> dict[str, Any]:
    """Return the fields of an `Abstainer`.

    The threshold is the highest that refuses at most `false_refusals` of the answerable questions, set in
    the middle of the gap below them, so that it does not sit on one question's value.
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
        "threshold": round(_threshold(scores, y, false_refusals), 6),
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


def _threshold(scores: Float64, y: Float64, false_refusals: float) -> float:
    answerable = np.sort(scores[y == 1])
    lowest = float(answerable[int(false_refusals * len(answerable))])
    below = scores[scores < lowest]
    return (lowest + float(below.max())) / 2 if len(below) else lowest / 2


def _named(values: Float64) -> dict[str, float]:
    return {name: round(float(value), 6) for name, value in zip(FEATURES, values, strict=True)}
