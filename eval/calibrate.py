"""Fit what is kept as data: the weights of a sentence's score, and the decision to abstain. On `dev` alone.

A model is not judged by the questions that it was fitted on: the threshold and the probabilities come from
eight folds, no section of the posts being in two of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from app import abstain, extract
from app.abstain import Node

Float64 = NDArray[np.float64]

TOLERATED = {"wrong": 0.03, "missed": 0.10}
FOLDS = 8
_RIDGE = 0.01


def fit_sentences(questions: Sequence[tuple[Sequence[dict[str, float]], Sequence[float]]]) -> dict[str, float]:
    """Return a weight for each of extract.FEATURES.

    `questions` are (feature values of each sentence, how much of the asked facts each holds). The weights
    make the softmax over a question's sentences most like those shares (listwise, ridge on scaled features).
    """
    names = extract.FEATURES
    lists = [
        (np.array([[row[n] for n in names] for row in rows]), np.asarray(shares) / sum(shares)) for rows, shares in questions if sum(shares)
    ]
    scale = np.maximum(np.vstack([x for x, _ in lists]).std(axis=0), 1e-6)

    def loss(weights: Float64) -> tuple[float, Float64]:
        value, slope = 0.0, np.zeros_like(weights)
        for x, wanted in lists:
            z = x @ (weights / scale)
            shifted = np.exp(z - z.max())
            value -= float(wanted @ (z - z.max() - np.log(shifted.sum())))
            slope -= x.T @ (wanted - shifted / shifted.sum()) / scale
        return value / len(lists) + _RIDGE * float(weights @ weights), slope / len(lists) + 2 * _RIDGE * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return {name: round(float(w), 6) for name, w in zip(names, found.x / scale, strict=True)}


def fit_abstainer(rows: Sequence[dict[str, float]], labels: Sequence[bool], groups: Sequence[str]) -> dict[str, Any]:
    """Return the fields of an `Abstainer`; questions of one group fall into one fold.

    The threshold lies midway between two neighbouring scores, where wrong refusals and missed ones, each
    as a multiple of what is tolerated (TOLERATED), cost least together.
    """
    x, y = _matrix(rows), np.array(labels, dtype=bool)
    held_out = out_of_fold(x, y, groups)
    scaling = LogisticRegression(C=1e6).fit(held_out[:, None], y)
    slope, offset = float(scaling.coef_[0, 0]), float(scaling.intercept_[0])
    probabilities = 1 / (1 + np.exp(-(slope * held_out + offset)))
    return {
        "trees": _trees(_boosted(x, y)),
        "slope": round(slope, 6),
        "offset": round(offset, 6),
        "threshold": round(_threshold(probabilities, y), 6),
    }


def out_of_fold(x: Float64, y: NDArray[np.bool_], groups: Sequence[str]) -> Float64:
    """The score of each row by a model that saw no row of its fold."""
    shuffled = np.random.default_rng(0).permutation(sorted(set(groups))).tolist()
    number = {name: i % FOLDS for i, name in enumerate(shuffled)}
    fold = np.array([number[g] for g in groups])
    scores = np.zeros(len(y))
    for k in sorted(set(fold.tolist())):
        trees = _trees(_boosted(x[fold != k], y[fold != k]))
        model = abstain.Abstainer(trees=trees, slope=1.0, offset=0.0, threshold=0.5)
        scores[fold == k] = [model.raw(dict(zip(abstain.FEATURES, row, strict=True))) for row in x[fold == k].tolist()]
    return scores


def _matrix(rows: Sequence[dict[str, float]]) -> Float64:
    return np.array([[row[name] for name in abstain.FEATURES] for row in rows], dtype=np.float64)


def _boosted(x: Float64, y: NDArray[np.bool_]) -> GradientBoostingClassifier:
    model = GradientBoostingClassifier(
        n_estimators=150, learning_rate=0.05, max_depth=2, subsample=0.5, max_features=0.4, min_samples_leaf=10, random_state=0
    )
    return model.fit(x, y)


def _trees(model: GradientBoostingClassifier) -> list[Node]:
    """The trees as nested lists; what the model starts from is left to the offset."""
    return [_node(stage[0].tree_, 0, model.learning_rate) for stage in model.estimators_]


def _node(tree: Any, at: int, rate: float) -> Node:
    if tree.children_left[at] < 0:
        return round(rate * float(tree.value[at, 0, 0]), 5)
    left, right = (_node(tree, int(side[at]), rate) for side in (tree.children_left, tree.children_right))
    return [abstain.FEATURES[int(tree.feature[at])], round(float(tree.threshold[at]), 5), left, right]


def _threshold(scores: Float64, y: NDArray[np.bool_]) -> float:
    ordered = np.unique(scores)
    middles = (ordered[1:] + ordered[:-1]) / 2

    def cost(threshold: float) -> float:
        wrong = float((scores[y] < threshold).mean())
        missed = float((scores[~y] >= threshold).mean())
        return wrong / TOLERATED["wrong"] + missed / TOLERATED["missed"]

    return float(min(middles, key=cost))
