"""The worker of a benchmark of predictions: writes the files, and has each timed, one by one.

What is finished is what the journal says: whoever goes on after a kill measures the rest, and
nothing twice. Keras is imported only while there are files to write.
"""

from __future__ import annotations

from studio.engine.benchmarks import prediction
from studio.engine.benchmarks.history import BenchmarkContext, LatencyChanged
from studio.engine.benchmarks.results import counts_of
from studio.engine.compute.benchmarks import latency
from studio.engine.compute.measuring_process import LatencyReference, MeasuringProcess
from studio.engine.errors import StudioError
from studio.engine.exporting.formats import Variant
from studio.engine.inference.models import named_model
from studio.engine.jobs.devices import machine_devices
from studio.engine.jobs.states import State

TABLE = "table"


class PredictionStudy:
    """Leads one benchmark of predictions.

    Args:
        context: The benchmark.
    """

    def __init__(self, context: BenchmarkContext) -> None:
        self._context = context
        self._plan = context.job.plan(prediction.PredictPlan)
        self._paces = dict(context.job.history.paces)
        self._missing: list[prediction.Missing] = []
        self._name = named_model(context.workspace, self._plan.model).name

    def work(self) -> State:
        """Go on until everything is measured.

        Raises:
            StudioError: The model cannot be read.
            Cancelled: Somebody wants an end; what was measured is kept.
        """
        places = self._places()
        self._report()
        for _, place in places:
            if place.key not in self._paces:
                self._note(place, prediction.LatencyOutcome(state="waiting"))
        left = [(variant, place) for variant, place in places if not self._is_over(place)]
        # What all others are timed beside is needed as well, though it may be measured already.
        first = (
            [variant for variant, place in places if place.provider == prediction.CPU][:1]
            if left
            else []
        )
        problems = self._write(list(dict.fromkeys([*first, *(variant for variant, _ in left)])))
        with self._reference(first) as reference:
            for variant, place in left:
                self._tell(len(places))
                self._measure(variant, place, problems.get(variant, ""), reference)
        self._tell(len(places))
        path = self._context.folder / prediction.TABLE_NAME
        self._context.artifact(
            TABLE, prediction.write_latency_results(path, self._name, self._paces.values())
        )
        self._report()
        return State.COMPLETED

    def _places(self) -> list[tuple[Variant, prediction.Place]]:
        variants, self._missing = prediction.variants_of(self._plan)
        built_in = (
            latency.onnx_providers() if any(e.format.name == "onnx" for e in variants) else []
        )
        places = []
        for variant in variants:
            name = variant.format.name
            providers, missing = latency.providers_of(name, machine_devices(), built_in)
            self._missing += [each for each in missing if each not in self._missing]
            places += [
                (variant, prediction.Place(name, variant.precision, provider, batch))
                for provider in providers
                for batch in self._plan.batch_sizes
            ]
        return places

    def _write(self, variants: list[Variant]) -> dict[Variant, str]:
        folder = self._context.folder
        new = [each for each in variants if latency.written_file(folder, each) is None]
        return latency.write_files(self._context, new) if new else {}

    def _reference(self, variants: list[Variant]) -> LatencyReference:
        folder, most = self._context.folder, max(self._plan.batch_sizes)

        def start() -> MeasuringProcess:
            for variant in variants:
                file = latency.written_file(folder, variant)
                if file is not None:
                    where = latency.file_folder(folder, variant)
                    return latency.latency_process(
                        self._context, where, file, prediction.CPU, most
                    )
            raise StudioError("The file that all are compared with was not written.")

        return LatencyReference(start, self._context)

    def _measure(
        self, variant: Variant, place: prediction.Place, problem: str, reference: LatencyReference
    ) -> None:
        self._context.check()
        folder = self._context.folder
        file = None if problem else latency.written_file(folder, variant)
        if file is None:
            self._note(place, prediction.LatencyOutcome(state="failed", reason=problem))
            return
        self._note(place, prediction.LatencyOutcome(state="running"))
        where = latency.file_folder(folder, variant)
        self._note(place, latency.measured(self._context, where, file, place, reference))

    def _is_over(self, place: prediction.Place) -> bool:
        return place.key in self._paces and self._paces[place.key].is_over

    def _tell(self, total: int) -> None:
        self._context.advance(sum(e.is_over for e in self._paces.values()), total, "Cells")

    def _note(self, place: prediction.Place, outcome: prediction.LatencyOutcome) -> None:
        pace = self._paces[place.key] = prediction.LatencyResult.of(place, outcome)
        self._context.emit(LatencyChanged(pace=pace), durable=pace.is_over)

    def _report(self) -> None:
        self._context.result(
            {
                "network": self._name,
                "states": counts_of(self._paces.values()),
                "missing": [list(each) for each in self._missing],
            }
        )


def benchmark_predictions(context: BenchmarkContext) -> State:
    """Run the cells of a benchmark of predictions; never imports Keras."""
    return PredictionStudy(context).work()
