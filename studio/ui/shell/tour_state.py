"""Where the guided tour is and what comes next, decided without Qt."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from studio.engine.jobs.states import State


class Scene(enum.IntEnum):
    """The four things that the tour shows, in their order."""

    DATA = 1
    NETWORK = 2
    TRAINING = 3
    ANSWER = 4


class Phase(enum.Enum):
    """What a scene waits for."""

    WORK = enum.auto()
    READING = enum.auto()
    OVER = enum.auto()
    BROKEN = enum.auto()


class Verdict(enum.Enum):
    """What the state of a job means for the tour."""

    GOES_ON = enum.auto()
    READY = enum.auto()
    BROKEN = enum.auto()


PAGE_OF = {
    Scene.DATA: "datasets",
    Scene.NETWORK: "train",
    Scene.TRAINING: "train",
    Scene.ANSWER: "predict",
}
# Nothing is computed in these: they are read, and left by themselves.
_ONLY_READ = (Scene.NETWORK,)


@dataclass(slots=True)
class Course:
    """The place in the tour.

    Attributes:
        scene: What is shown.
        phase: What it waits for.
        is_away: Whether the user has gone to another page: the tour waits.
        failure: Why it cannot go on, with what to do about it; empty while it can.
    """

    scene: Scene = Scene.DATA
    phase: Phase = Phase.WORK
    is_away: bool = False
    failure: str = ""

    @property
    def page(self) -> str:
        """The page that the scene is on."""
        return PAGE_OF[self.scene]

    @property
    def has_ended(self) -> bool:
        """Whether nothing comes any more."""
        return self.phase in (Phase.OVER, Phase.BROKEN)

    @property
    def may_go_on(self) -> bool:
        """Whether the next scene is to come once this one was read."""
        return self.phase == Phase.READING and not self.is_away

    @property
    def advances_by_itself(self) -> bool:
        """True if the next scene follows after some seconds.

        The finished curve stays, and so does a wrong answer that the user is to correct.
        """
        return self.may_go_on and self.scene in (Scene.DATA, Scene.NETWORK)

    def work_done(self) -> None:
        """Go on to reading once the work of the scene is done."""
        self.phase = Phase.READING

    def advance(self) -> None:
        """Begin the next scene; after the last one the tour is over."""
        if self.scene == Scene.ANSWER:
            self.phase, self.is_away = Phase.OVER, False
            return
        self.scene = Scene(self.scene + 1)
        self.phase = Phase.READING if self.scene in _ONLY_READ else Phase.WORK

    def break_off(self, failure: str) -> None:
        """It cannot go on."""
        self.phase, self.failure, self.is_away = Phase.BROKEN, failure, False

    def look(self, page: str) -> None:
        """Another page is shown."""
        self.is_away = page != self.page and not self.has_ended


@dataclass(frozen=True, slots=True)
class Place:
    """All that another window needs to go on with the tour: where it is, and what it made."""

    course: Course
    dataset: str
    run: str


def place_of(course: Course, dataset: str, run: str) -> Place:
    """The place to go on from; an answer that stood in a closed window is asked for again."""
    taken = replace(course)
    if taken.scene == Scene.ANSWER and taken.phase in (Phase.READING, Phase.OVER):
        taken.phase = Phase.WORK
    return Place(taken, dataset, run)


def dataset_verdict(state: State) -> Verdict:
    """Whether the images can be learned from."""
    if state == State.COMPLETED:
        return Verdict.READY
    return Verdict.BROKEN if state.is_finished else Verdict.GOES_ON


def run_verdict(state: State, *, has_model: bool) -> Verdict:
    """Whether the network can be asked; one that was stopped early can, once it has a model."""
    if state in (State.COMPLETED, State.STOPPED) and has_model:
        return Verdict.READY
    return Verdict.BROKEN if state.is_finished else Verdict.GOES_ON
