"""The format of programs that `torch.export` writes."""

from studio.engine.exporting.formats.base import ExportFormat

TORCH = ExportFormat(
    name="torch",
    label="PyTorch (.pt2)",
    summary="One file that torch.export.load reads: for PyTorch, without Keras.",
    packages=("torch",),
    install="pip install 'studio-trainer[torch]'",
    file="model.pt2",
    runtime="torch",
    needs="pip install torch numpy pillow",
)
