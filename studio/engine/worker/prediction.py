"""The worker of a benchmark of predictions: writes the files, and has each timed, one by one.

The journal records what is finished: a resumed benchmark measures the rest, and
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
        self._results = dict(context.job.history.latencies)
        self._missing: list[prediction.Missing] = []
        self._name = named_model(context.workspace, self._plan.model).name

    def work(self) -> State:
        """Continue until everything is measured.

        Raises:
            StudioError: The model cannot be read.
            Cancelled: The job was asked to end; finished measurements are stored.
        """
        keys = self._keys()
        self._report()
        for _, key in keys:
            if key.id not in self._results:
                self._note(key, prediction.LatencyOutcome(state="waiting"))
        left = [(variant, key) for variant, key in keys if not self._is_over(key)]
        # What all others are timed beside is needed as well, though it may be measured already.
        first = (
            [variant for variant, key in keys if key.provider == prediction.CPU][:1]
            if left
            else []
        )
        problems = self._write(list(dict.fromkeys([*first, *(variant for variant, _ in left)])))
        with self._reference(first) as reference:
            for variant, key in left:
                self._report_progress(len(keys))
                self._measure(variant, key, problems.get(variant, ""), reference)
        self._report_progress(len(keys))
        path = self._context.folder / prediction.TABLE_NAME
        self._context.artifact(
            TABLE, prediction.write_latency_results(path, self._name, self._results.values())
        )
        self._report()
        return State.COMPLETED

    def _keys(self) -> list[tuple[Variant, prediction.LatencyKey]]:
        variants, self._missing = prediction.variants_of(self._plan)
        built_in = (
            latency.onnx_providers() if any(e.format.name == "onnx" for e in variants) else []
        )
        keys = []
        for variant in variants:
            name = variant.format.name
            providers, missing = latency.providers_of(name, machine_devices(), built_in)
            self._missing += [each for each in missing if each not in self._missing]
            keys += [
                (variant, prediction.LatencyKey(name, variant.precision, provider, batch))
                for provider in providers
                for batch in self._plan.batch_sizes
            ]
        return keys

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
            raise StudioError("The reference file was not written.")

        return LatencyReference(start, self._context)

    def _measure(
        self,
        variant: Variant,
        key: prediction.LatencyKey,
        problem: str,
        reference: LatencyReference,
    ) -> None:
        self._context.check()
        folder = self._context.folder
        file = None if problem else latency.written_file(folder, variant)
        if file is None:
            self._note(key, prediction.LatencyOutcome(state="failed", reason=problem))
            return
        self._note(key, prediction.LatencyOutcome(state="running"))
        where = latency.file_folder(folder, variant)
        self._note(key, latency.measured(self._context, where, file, key, reference))

    def _is_over(self, key: prediction.LatencyKey) -> bool:
        return key.id in self._results and self._results[key.id].is_over

    def _report_progress(self, total: int) -> None:
        self._context.advance(sum(e.is_over for e in self._results.values()), total, "Cells")

    def _note(self, key: prediction.LatencyKey, outcome: prediction.LatencyOutcome) -> None:
        result = self._results[key.id] = prediction.LatencyResult.of(key, outcome)
        self._context.emit(LatencyChanged(latency=result), durable=result.is_over)

    def _report(self) -> None:
        self._context.result(
            {
                "network": self._name,
                "states": counts_of(self._results.values()),
                "missing": prediction.missing_json(self._missing),
            }
        )


def benchmark_predictions(context: BenchmarkContext) -> State:
    """Run the cells of a benchmark of predictions; never imports Keras."""
    return PredictionStudy(context).work()
