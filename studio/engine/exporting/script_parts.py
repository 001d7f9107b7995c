"""The texts of a training script, into which the values of a plan are put."""

HEAD = """
import argparse
import json

import keras
import numpy as np

EPOCHS = {epochs}
BATCH_SIZE = {batch_size}
SEED = {seed}
"""
RATES = '''

class Rates(keras.optimizers.schedules.LearningRateSchedule):
    """The learning rate of every step, as in Studio, from learning_rates.npy."""

    def __init__(self):
        self.rates = np.load("learning_rates.npy")

    def __call__(self, step):
        at = keras.ops.minimum(keras.ops.cast(step, "int32") // {stride}, len(self.rates) - 1)
        return keras.ops.take(keras.ops.convert_to_tensor(self.rates, "float32"), at)

    def get_config(self):
        return {{}}
'''
LOSS = '''

def loss(labels, scores):
    """Cross-entropy with label smoothing, the focal factor and weights of classes."""
    ops, classes = keras.ops, scores.shape[-1]
    shares = ops.one_hot(ops.cast(ops.reshape(labels, (-1,)), "int32"), classes)
    weight = ops.sum(shares * ops.convert_to_tensor({weights}, "float32"), axis=-1)
    shares = shares * (1 - {smoothing}) + {smoothing} / classes
    sure = ops.clip(scores, 1e-7, 1 - 1e-7)
    return weight * ops.sum(-shares * ops.log(sure) * (1 - sure) ** {gamma}, axis=-1)
'''
MAIN = """

def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--check", action="store_true", help="one step only")
    words = parser.parse_args()
    keras.utils.set_random_seed(SEED)
{before}    import network  # the start weights are drawn here

    model, trained = network.model, {trained}
    data = np.load("data.npz")
    trained.compile(
        optimizer={optimizer},
        loss={loss},{loss_weights}
        metrics=["accuracy"],
        auto_scale_loss=False,
    )
    images, labels = data["train_images"], data["train_labels"]
    if words.check:
        batch = images[:BATCH_SIZE], labels[:BATCH_SIZE]
        found = trained.train_on_batch(batch[0], {one_step}, return_dict=True)
        print(json.dumps({{"loss": float(found["loss"]), "parameters": model.count_params()}}))
        return
    validation = {validation}
    trained.fit(
        images,
        {targets},
        batch_size=BATCH_SIZE,
        epochs=words.epochs,
        validation_data=validation,
        shuffle={shuffle},
        callbacks={callbacks},
    )
{after}    model.save("trained.keras")
    model.compile(loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    for split in ("val", "test"):
        if f"{{split}}_images" in data:
            found = model.evaluate(
                data[f"{{split}}_images"], data[f"{{split}}_labels"], verbose=0, return_dict=True
            )
            print(f"{{split}}: accuracy {{found['accuracy']:.4f}}, loss {{found['loss']:.4f}}")


if __name__ == "__main__":
    main()
"""
