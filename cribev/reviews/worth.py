"""What every discard of many decisions is worth, exactly or by rank class."""

import numpy as np
from tqdm import tqdm

from cribev.batch.evaluators import ClassTableEvaluator, Deals, ExactEvaluator
from cribev.deal.many import ValuesGivenStarter
from cribev.game.score_notation import UNKNOWN
from cribev.opponents.models import Opponent
from cribev.reviews.records import Record


def exact_worth(record: Record, opponent: Opponent, *, workers: int = 1) -> ValuesGivenStarter:
    """Value every discard of a record by every crib that can follow, with a bar of progress.

    >>> import pandas as pd
    >>> from io import StringIO
    >>> from cribev.opponents.models import Uniform
    >>> from cribev.reviews.records import RECORD_TEMPLATE, as_record
    >>> record = as_record(pd.read_csv(StringIO(RECORD_TEMPLATE)))
    >>> found = exact_worth(record, Uniform())
    >>> found.discards.hand.shape, float(found.discards.hand.max().round(2))
    ((1, 15), 12.7)
    """
    scored = opponent.counts_play and (record.scores != UNKNOWN).any()
    deals = Deals.of(record.deals, record.dealer, record.scores if scored else None)
    with tqdm(total=len(record.deals), desc="reviewing", unit=" discards", disable=None) as bar:
        evaluator = ExactEvaluator(opponent, workers)
        return evaluator.given_starters(deals, record.starters, bar.update)


def class_worth(record: Record, opponent: Opponent) -> ValuesGivenStarter:
    """Value every discard of a record by the class tables, which know no starter.

    >>> import pandas as pd
    >>> from io import StringIO
    >>> from cribev.opponents.models import Uniform
    >>> from cribev.reviews.records import RECORD_TEMPLATE, as_record
    >>> record = as_record(pd.read_csv(StringIO(RECORD_TEMPLATE)))
    >>> found = class_worth(record, Uniform())
    >>> float(found.discards.hand.max().round(2))
    12.7
    """
    values = ClassTableEvaluator(opponent).values(Deals.of(record.deals, record.dealer))
    known = (record.starters != UNKNOWN)[:, None]
    return ValuesGivenStarter(values, np.where(known, values.crib, np.nan))
