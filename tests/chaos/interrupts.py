"""Ctrl-C at every place of every call, once and twice, with others waiting behind it."""

from __future__ import annotations

import treadle
from chaos.bystanders import FINE, Bystanders
from chaos.calls import CALLS, Call
from chaos.ground import KINDS, Ground, present
from chaos.places import Interrupts, count
from chaos.watch import REPEATS, Failure, Watch

MANY = 150  # places of a call that has too many for all of them
SECONDS = 2  # for each place: tries of a second interrupt
MISSED = 20
OFTEN = 8  # times that a call comes to one place, more or less
FAR = 60  # places within which the second comes


def cases() -> list[str]:
    """A case for each call on each kind of device, with a second interrupt or without."""
    named = [f"{kind}/{name}" for kind in KINDS if present(kind) for name in CALLS]
    return [*named, *(f"{name}/twice" for name in named)]


def run(case: str, watch: Watch) -> None:
    """Try the places of one call."""
    kind, name, *twice = case.split("/")
    call = CALLS[name]
    ground, others = _fresh(kind, call)
    asked, dice = watch.asked, watch.dice()
    if asked.place:
        places = [*range(1, OFTEN)] * (REPEATS // OFTEN)
    elif asked.at:
        places = [asked.at, asked.at - 1, asked.at + 1, *[asked.at] * REPEATS]
    else:
        highest = _highest(ground, call)
        places = list(range(1 if twice else watch.start, highest + 10))
        most = asked.most or (MANY if call.many else 0)
        if most and len(places) > most:
            places = sorted(dice.sample(places, most))
        elif twice:
            dice.shuffle(places)
    missed = 0  # places in a row that the call does not have
    for at in places:
        if missed > MISSED:
            break
        if watch.late and not asked.at:
            watch.notes[f"{case}: no time for every place"] += 1
            break
        for _ in range(SECONDS if twice and not asked.at else 1):
            then = (asked.then or dice.randint(1, FAR)) if twice else 0
            if call.closes and ground.device.queue.gone is not None:
                others.close()
                ground, others = _fresh(kind, call)
            watch.at(at, **({"then": then} if then else {}))
            fired = _disturb(ground, others, call, at, then, watch)
            watch.counts["interrupts"] += fired
            missed = 0 if fired or twice else missed + 1
    others.close()
    if not call.closes:
        ground.close(watch)


def _fresh(kind: str, call: Call) -> tuple[Ground, Bystanders]:
    ground = Ground(kind)
    gone = (treadle.DeviceLost,) if call.closes else ()
    return ground, Bystanders(ground, (*FINE, *gone))


def _highest(ground: Ground, call: Call) -> int:
    """How many places the call has, more or less: what others do meanwhile changes it."""
    if call.closes:
        return 300
    found = []
    for _ in range(3):
        ready = call.ready(ground)
        found.append(count(lambda ready=ready: call.act(ground, ready)))
        ground.device.synchronize()
    return max(found)


def _disturb(
    ground: Ground, others: Bystanders, call: Call, at: int, then: int, watch: Watch
) -> int:
    """Interrupt the call once, and check everything; how many interrupts there were."""
    if not call.blocks:
        ground.off()
    ready = call.ready(ground)

    def before() -> None:
        watch.say(where=interrupts.places)  # now: this may be the last that is heard
        others.start()

    interrupts = Interrupts(at, then, before, watch.asked.known, watch.asked.place)
    ended = "nothing"
    try:
        with interrupts:
            call.act(ground, ready)
    except KeyboardInterrupt:
        ended = "KeyboardInterrupt"
    except treadle.TreadleError as error:
        ended = type(error).__name__  # a command that fails because its launch was interrupted
    except BaseException as error:
        raise Failure(f"{_where(interrupts)}: {type(error).__name__}: {error}") from error
    del ready
    if interrupts.passed:
        watch.counts["places of findings passed over"] += 1
    if interrupts.places and ended == "nothing":
        watch.notes[f"swallowed at {interrupts.places[0]}"] += 1
    ground.on()
    watch.say(where=interrupts.places)
    others.join(watch)
    if call.closes:
        ground.device.close()
        return len(interrupts.places)
    ground.check(watch)
    ground.check_memory(watch)
    ground.check_threads()
    return len(interrupts.places)


def _where(interrupts: Interrupts) -> str:
    return f"interrupted at {' and '.join(interrupts.places)}"
