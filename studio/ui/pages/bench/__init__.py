"""The page of benchmarks: studies of trainings on every device, live and afterwards."""
