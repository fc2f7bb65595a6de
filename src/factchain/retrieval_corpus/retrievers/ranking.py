"""The best passages of an index of scores: only what has a word of the query is looked at."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from factchain.compiled import compiled

Numbers = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float32]


@compiled
def best(
    words: npt.NDArray[np.int64],
    k: int,
    data: Scores,
    indices: Numbers,
    indptr: npt.NDArray[np.int64],
    scores: Scores,
) -> tuple[Numbers, Scores]:
    """Up to `k` passages by falling score and then by number, and their scores, all above zero.

    `data`, `indices` and `indptr` are a sparse matrix with a column a word and a row a passage;
    `scores` has a zero for every passage, and is left so.
    """
    size = 0
    for word in words:
        size += indptr[word + 1] - indptr[word]
    met = np.empty(min(size, len(scores)), np.int32)
    count = 0
    for word in words:
        for at in range(indptr[word], indptr[word + 1]):
            if data[at] > 0:
                passage = indices[at]
                if scores[passage] == 0:
                    met[count] = passage
                    count += 1
                scores[passage] += data[at]
    numbers = np.empty(k, np.int32)
    values = np.empty(k, np.float32)
    found = 0
    for passage in met[:count]:
        score = scores[passage]
        scores[passage] = 0
        if found == k and (
            score < values[k - 1] or (score == values[k - 1] and passage > numbers[k - 1])
        ):
            continue
        if found < k:
            found += 1
        # The last one drops out; what is worse moves back by one.
        place = found - 1
        while place > 0 and (
            values[place - 1] < score
            or (values[place - 1] == score and numbers[place - 1] > passage)
        ):
            values[place], numbers[place] = values[place - 1], numbers[place - 1]
            place -= 1
        values[place], numbers[place] = score, passage
    return numbers[:found], values[:found]
