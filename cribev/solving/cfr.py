"""The play solved by CFR+: rounds, what is left to gain, and what each keep comes to."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cribev.classes.canonical import Floats
from cribev.game.roles import ROLES, Role
from cribev.solved.keeps import GameSize
from cribev.solved.play import POINT_BINS
from cribev.solving.evaluation import Sums, evaluate_policies, no_sums, peg_sums
from cribev.solving.play_choice import RESPOND, ROWS, UPDATE
from cribev.solving.play_walk import Beliefs, Choices, Work, count_choices, new_work, walk
from cribev.solving.tree import LANES, padded, tables

PONE, DEALER = 0, 1
_STATE = ["regrets", "sums", "lead_regrets", "lead_sums", "answer_regrets", "answer_sums"]
_SELDOM = 1e-7  # what is led to a keep less often is not worth a figure


class KeepBeliefs(NamedTuple):
    """How likely keeps face each other, by number of `GameSize.holdings`."""

    pone: Floats
    """How often pone keeps what, ``(n,)``."""
    dealer: Floats
    pone_faces: Floats
    """What the dealer has when pone keeps a keep, rows of one, ``(n, n)``."""
    dealer_faces: Floats


def beliefs_from_joint(together: Floats) -> KeepBeliefs:
    """Take how often keeps face each other, pone's first, ``(n, n)``, apart."""
    pone, dealer = together.sum(axis=1), together.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        faces = np.nan_to_num(together / pone[:, None]), np.nan_to_num(together.T / dealer[:, None])
    return KeepBeliefs(pone, dealer, *faces)


class PlaySolver:
    """The play with given keeps, and two strategies that get better by rounds.

    Parameters
    ----------
    keeps
        How likely keeps face each other.
    deck
        The ranks and the number of cards kept.
    threads
        How many walk at once.
    """

    def __init__(
        self, keeps: KeepBeliefs, *, deck: GameSize | None = None, threads: int = 2
    ) -> None:
        self.deck = deck or GameSize()
        self.tables, self.points = tables(self.deck)
        self.threads = threads
        ranks, kept = len(self.deck.ranks), self.deck.kept
        self.below = self.deck.many(kept - 1)
        self.keep_of = self.tables.plus[kept][:, : self.below].astype(np.intp)  # rank, then rest
        sizes = np.zeros((ranks, ranks), dtype=np.int64)
        for lead in range(ranks):
            for answer in range(ranks):
                state = self.state_after(lead, answer)
                sizes[lead, answer] = count_choices(
                    self.tables, state, True, False, kept - 1, kept - 1
                )
        self.starts = np.concatenate([[0], np.cumsum(sizes.ravel())])[:-1].reshape(sizes.shape)
        self.order = np.argsort(-sizes.ravel(), kind="stable")
        self.rounds = 0
        self.regrets, self.sums = (
            np.zeros(max(int(sizes.sum()), LANES), dtype=np.float32) for _ in range(2)
        )
        self.choices = Choices(
            self.regrets, self.sums,
            self.regrets.reshape(-1, LANES), self.sums.reshape(-1, LANES),
        )  # fmt: skip
        self.lead_regrets, self.lead_sums = np.zeros((2, 1, ranks, self.below))
        self.answer_regrets, self.answer_sums = np.zeros((2, ranks, ranks, self.below))
        self.set_keeps(keeps)

    def set_keeps(self, keeps: KeepBeliefs) -> None:
        """Change how likely keeps face each other; the strategies stay as they are."""
        self.keeps = keeps
        self.beliefs = [self._beliefs(faces) for faces in (keeps.pone_faces, keeps.dealer_faces)]

    def state(self) -> dict[str, NDArray[Any]]:
        """Give the strategies as arrays, not copied."""
        return {"rounds": np.array(self.rounds), **{name: getattr(self, name) for name in _STATE}}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take the strategies that `state` gave.

        Raises
        ------
        ValueError
            If they are of another game.
        """
        for name in _STATE:
            if state[name].shape != getattr(self, name).shape:
                raise ValueError(f"{name} of shape {state[name].shape}")
            getattr(self, name)[:] = state[name]
        self.rounds = int(state["rounds"])

    def round(self) -> None:
        """Let pone, then dealer, improve on the other."""
        self.rounds += 1
        for player in (PONE, DEALER):
            self._settle(player, self._walk(player, UPDATE), UPDATE)

    def best_responses(self) -> tuple[Floats, Floats]:
        """Find what pone and dealer gain, by keep, who respond best to the other's average."""
        pone, dealer = (
            self._settle(player, self._walk(player, RESPOND), RESPOND) for player in (PONE, DEALER)
        )
        return pone, dealer

    def exploitability(self) -> float:
        """Points a deal that both together could still gain by other play."""
        pone, dealer = self.best_responses()
        return float(pone @ self.keeps.pone + dealer @ self.keeps.dealer)

    def state_after(self, lead: int, answer: int) -> int:
        """Give the state of the count after the first two cards."""
        return int(self.tables.next[self.tables.next[0, lead], answer])

    def _beliefs(self, faces: Floats) -> Beliefs:
        width = int(self.tables.width[self.deck.kept])
        by_own = padded(faces, width)
        by_own = np.concatenate([by_own, np.zeros((width - len(by_own), width), np.float32)])
        own, other = self.keep_of.T, self.keep_of.T  # rest, then rank
        blocks = np.zeros((self.below, self.below, ROWS, LANES), dtype=np.float32)
        for laid in range(self.below):
            cells = by_own[own[laid][None, None, :], other[:, :, None]]
            blocks[laid, :, : len(self.keep_of), : len(self.keep_of)] = cells
        return Beliefs(blocks.reshape(self.below**2, -1), by_own, np.ascontiguousarray(by_own.T))

    def _chances(self, table: Floats) -> Floats:
        """How often each first card is laid, from a table ``(n, ranks, rests)``."""
        total = np.zeros((len(table), self.deck.many(self.deck.kept)))
        for rank, keeps in enumerate(self.keep_of):
            total[:, keeps] += table[:, rank]
        number = np.bincount(self.keep_of.ravel(), minlength=total.shape[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(
                total[:, self.keep_of] > 0,
                table / total[:, self.keep_of],
                1 / number[self.keep_of],
            )

    def _walk(self, player: int, mode: int) -> Floats:
        """Walk the whole tree for a player; what his holdings can expect, by the first cards."""
        updating = mode == UPDATE
        leads = self._chances(self.lead_regrets if updating else self.lead_sums)
        answers = self._chances(self.answer_regrets if updating else self.answer_sums)
        ranks = len(self.keep_of)
        values = np.zeros((ranks, ranks, self.below))
        rooms: SimpleQueue[Work] = SimpleQueue()
        for _ in range(self.threads):
            rooms.put(new_work(self.tables))

        def subtree(job: int) -> None:
            lead, answer = divmod(job, ranks)
            work = rooms.get()
            reaches = (work.own, work.other) if player == PONE else (work.other, work.own)
            reaches[0][0, : self.below] = leads[0, lead]
            reaches[1][0, : self.below] = answers[lead, answer]
            pegged = -self.tables.points[self.tables.next[0, lead], answer]
            laid = (lead, answer) if player == PONE else (answer, lead)
            work.at[0] = self.starts[lead, answer]
            walk(
                self.tables, self.beliefs[player], self.choices, work, mode,
                np.float32(self.rounds**2),
                np.int64(self.state_after(lead, answer)), player == PONE, False,
                self.deck.kept - 1, self.deck.kept - 1,
                np.float32(pegged if player == PONE else -pegged), 0, 0, 0, *laid,
            )  # fmt: skip
            values[lead, answer] = work.value[0, : self.below]
            rooms.put(work)

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(subtree, self.order.tolist()))
        return values

    def _settle(self, player: int, values: Floats, mode: int) -> Floats:
        """Make the first card's choice as the walk makes those after it; values by keep."""
        updating, keeps = mode == UPDATE, self.keep_of
        if player == PONE:  # what the dealer's answers make likely is in the values: add them up
            gains, regrets, sums = values.sum(axis=1)[None], self.lead_regrets, self.lead_sums
        else:
            gains, regrets, sums = values, self.answer_regrets, self.answer_sums
        value = np.full((len(gains), self.deck.many(self.deck.kept)), 0.0 if updating else -np.inf)
        chances = self._chances(regrets)
        for rank in range(len(keeps)):
            if updating:
                value[:, keeps[rank]] += chances[:, rank] * gains[:, rank]
            else:
                value[:, keeps[rank]] = np.maximum(value[:, keeps[rank]], gains[:, rank])
        if updating:
            np.maximum(regrets + gains - value[:, keeps], 0, out=regrets)
            sums += self.rounds**2 * chances
        total: Floats = value.sum(axis=0)
        return total

    def first_cards(self) -> dict[Role, tuple[Floats, Floats]]:
        """How pone leads and the dealer answers, and what each first card is worth.

        Returns
        -------
        By role, how often each first card is laid and what it comes to if all goes on as well as
        it can, net points: pone's ``(n, ranks)``, dealer's ``(n, ranks, ranks)``, the lead before.
        """
        led, answered = self.average_first_cards()
        met = self.keeps.dealer_faces @ led[:, 0]  # how often each dealer's keep is led to so
        pone = self._by_keep(self._walk(PONE, RESPOND).sum(axis=1)[None], np.nan)
        dealer = self._by_keep(self._walk(DEALER, RESPOND), np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            worth = np.where(met[..., None] > _SELDOM, dealer / met[..., None], np.nan)
        return {
            "pone": (led[:, 0], pone[:, 0]),
            "dealer": (np.where(np.isnan(worth), 0, answered), worth),
        }

    def average_first_cards(self) -> tuple[Floats, Floats]:
        """Give how often a keep leads so, ``(n, 1, ranks)``, or answers, ``(n, ranks, ranks)``."""
        leads, answers = self._chances(self.lead_sums), self._chances(self.answer_sums)
        return self._by_keep(leads, 0.0), self._by_keep(answers, 0.0)

    def _by_keep(self, table: Floats, nothing: float) -> Floats:
        """From the first rank and the rest ``(n, ranks, rests)`` to keep, ``n``, first rank."""
        keeps = np.full((self.deck.many(self.deck.kept), *table.shape[:2]), nothing)
        for rank, numbers in enumerate(self.keep_of):
            keeps[numbers, :, rank] = table[:, rank].T
        return keeps

    def pegs(self) -> dict[Role, tuple[Floats, Floats]]:
        """Average what a role pegs and what the other does, by its keep and his, ``(n, n)``."""
        many, cells = self.deck.many(self.deck.kept), self.tables.forced.shape[2]
        wide = int(self.tables.width[self.deck.kept])

        def room() -> Sums:
            pairs = np.zeros((2, self.below**2, cells), np.float32)
            alone = np.zeros((2, wide, wide), np.float32)
            return no_sums()._replace(
                pone=pairs[0], dealer=pairs[1], pone_alone=alone[0], dealer_alone=alone[1]
            )

        means = []
        rooms = self._sweep(room)
        for part, rest in ((0, 2), (1, 3)):
            mean: Floats = np.sum([sums[rest] for sums in rooms], axis=0).astype(np.float64)
            mean = mean[:many, :many]
            blocks = np.sum([sums[part] for sums in rooms], axis=0)
            blocks = blocks.reshape(self.below, self.below, -1, LANES)
            for mine, pone in enumerate(self.keep_of):
                for theirs, dealer in enumerate(self.keep_of):
                    mean[np.ix_(pone, dealer)] += blocks[:, :, theirs, mine]
            means.append(mean)
        pone, dealer = means
        return {"pone": (pone, dealer), "dealer": (dealer.T, pone.T)}

    def peg_chances(self) -> dict[Role, tuple[Floats, Floats]]:
        """Count how often keeps peg what, and which of the two first, by points of both.

        Returns
        -------
        By role and keep, how often it pegs so much and the other so much, and how often it pegs so
        much before the other has pegged so much, ``(n, 32, 32)`` each, as in `PeggingStatistics`.
        """
        found: dict[Role, tuple[Floats, Floats]] = {}
        every = np.ones((self.deck.many(self.deck.kept), 1))
        for role, (pegs, first) in self.peg_sums(every, most=POINT_BINS).items():
            total = pegs.sum(axis=(1, 2))[:, None]
            found[role] = pegs[..., 0] / total, first[..., 0] / total
            found[role][1][:, 0, 1:] = 1  # who needs nothing is there
        return found

    def peg_sums(self, signs: Floats, *, most: int) -> dict[Role, tuple[Floats, Floats]]:
        """Count what `peg_chances` does, times each sign of what the other keeps.

        Parameters
        ----------
        signs
            Of every keep, ``(n, m)``; the first must be 1 of each.
        most
            Points above count as one less than this, and no need is as much.

        Returns
        -------
        By role and keep, points (or needs) of its own and the other's, and sign:
        ``(n, most, most, m)`` each.
        """
        many, wide = len(signs), int(self.tables.width[self.deck.kept])
        every = np.zeros((wide, signs.shape[1]), np.float32)
        every[:many] = signs
        rooms = self._sweep(lambda: peg_sums(every, most=most))
        found: dict[Role, tuple[Floats, Floats]] = {}
        for role in ROLES:
            pegs, corners = (
                np.sum([getattr(sums, f"{role}_{part}") for sums in rooms], axis=0)[:many]
                for part in ("pegs", "first")
            )
            first = corners.cumsum(axis=1).cumsum(axis=2)
            found[role] = pegs.astype(np.float64), first
        return found

    def _sweep(self, room: Callable[[], Sums]) -> list[Sums]:
        """Go down the whole tree by the averages; what each thread added up."""
        leads, answers = self._chances(self.lead_sums), self._chances(self.answer_sums)
        rooms = [(new_work(self.tables), room()) for _ in range(self.threads)]
        free: SimpleQueue[tuple[Work, Sums]] = SimpleQueue()
        for one in rooms:
            free.put(one)
        faces = [beliefs.by_own for beliefs in self.beliefs]

        def subtree(job: int) -> None:
            lead, answer = divmod(job, len(self.keep_of))
            work, sums = free.get()
            work.own[0, : self.below] = leads[0, lead]
            work.other[0, : self.below] = answers[lead, answer]
            work.at[0] = self.starts[lead, answer]
            evaluate_policies(
                self.tables, self.points, self.choices, sums, faces[0], faces[1], work,
                self.state_after(lead, answer), True, False, self.deck.kept - 1, self.deck.kept - 1,
                0, int(self.tables.points[self.tables.next[0, lead], answer]),
                0, 0, 0, lead, answer,
            )  # fmt: skip
            free.put((work, sums))

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(subtree, self.order.tolist()))
        return [sums for _, sums in rooms]
