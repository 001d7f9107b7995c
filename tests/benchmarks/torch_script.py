"""The training loop that people write by hand with PyTorch; runs in an environment of its own.

    ENV/bin/python torch_script.py ARRAYS NETWORK BATCH EPOCHS [--compile]

ARRAYS is an .npz file with x, y, val_x and val_y: images as uint8, N x H x W x C, and classes of
images or of their pixels. Networks are those of Studio with the same names, channels last, and are
validated after each epoch. Prints the time of the end of each epoch, in seconds since 1970.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

EPSILON, MOMENTUM = 1e-3, 0.01  # those of Keras


def norm(channels: int) -> nn.Module:
    return nn.BatchNorm2d(channels, eps=EPSILON, momentum=MOMENTUM)


def conv(
    inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1
) -> nn.Module:
    padding = kernel // 2
    return nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False)


class Block(nn.Module):  # type: ignore[misc]  # PyTorch's types are not installed
    """The basic block of ResNet."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Sequential(conv(inputs, outputs, 3, stride), norm(outputs))
        self.second = nn.Sequential(conv(outputs, outputs), norm(outputs))
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(conv(inputs, outputs, 1, stride), norm(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = functional.relu(self.first(x), inplace=True)
        return functional.relu(self.second(inner) + self.shortcut(x), inplace=True)


def resnet18(classes: int) -> nn.Module:
    layers: list[nn.Module] = [conv(3, 64, 7, 2), norm(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, classes))


class Inverted(nn.Module):  # type: ignore[misc]  # PyTorch's types are not installed
    """The inverted residual of MobileNetV2."""

    def __init__(self, inputs: int, outputs: int, stride: int, factor: int) -> None:
        super().__init__()
        wide = inputs * factor
        widen = [conv(inputs, wide, 1), norm(wide), nn.ReLU6(inplace=True)] if factor > 1 else []
        self.inner = nn.Sequential(
            *widen,
            conv(wide, wide, 3, stride, groups=wide),
            norm(wide),
            nn.ReLU6(inplace=True),
            conv(wide, outputs, 1),
            norm(outputs),
        )
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.inner(x)
        return x + found if self.adds else found


def mobilenet_v2(classes: int) -> nn.Module:
    layers: list[nn.Module] = [conv(3, 32, 3, 2), norm(32), nn.ReLU6(inplace=True)]
    inputs = 32
    rows = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1))
    for factor, outputs, count, stride in (*rows, (6, 160, 3, 2), (6, 320, 1, 1)):
        for number in range(count):
            layers.append(Inverted(inputs, outputs, 1 if number else stride, factor))
            inputs = outputs
    layers += [conv(320, 1280, 1), norm(1280), nn.ReLU6(inplace=True)]
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(1280, classes)]
    return nn.Sequential(*layers)


def pair(inputs: int, outputs: int) -> nn.Module:
    first = [conv(inputs, outputs), norm(outputs), nn.ReLU(inplace=True)]
    return nn.Sequential(*first, conv(outputs, outputs), norm(outputs), nn.ReLU(inplace=True))


class SmallUNet(nn.Module):  # type: ignore[misc]  # PyTorch's types are not installed
    """A U-Net with 16 to 256 channels."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.down = nn.ModuleList(pair(*each) for each in ((3, 16), (16, 32), (32, 64), (64, 128)))
        self.bottom = pair(128, 256)
        self.up = nn.ModuleList(
            pair(*each) for each in ((384, 128), (192, 64), (96, 32), (48, 16))
        )
        self.logits = nn.Conv2d(16, classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skips = []
        for each in self.down:
            x = each(x)
            skips.append(x)
            x = functional.max_pool2d(x, 2)
        x = self.bottom(x)
        for each in self.up:
            large = functional.interpolate(x, scale_factor=2.0, mode="nearest")
            x = each(torch.cat([large, skips.pop()], dim=1))
        found: torch.Tensor = self.logits(x)
        return found


NETWORKS: dict[str, Any] = {
    "resnet18": resnet18,
    "mobilenet_v2": mobilenet_v2,
    "small_unet": SmallUNet,
}


def batches(x: torch.Tensor, y: torch.Tensor, order: torch.Tensor, size: int) -> Any:
    """Yield batches of images from -1 to 1, channels last, with their classes."""
    for rows in order.split(size):
        images = x[rows].float().div_(127.5).sub_(1.0)
        yield images.to(memory_format=torch.channels_last), y[rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arrays")
    parser.add_argument("network", choices=NETWORKS)
    parser.add_argument("batch", type=int)
    parser.add_argument("epochs", type=int)
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    options = parser.parse_args()
    torch.manual_seed(0)
    arrays = np.load(options.arrays)
    x, val_x = (torch.from_numpy(arrays[each]).permute(0, 3, 1, 2) for each in ("x", "val_x"))
    y, val_y = (torch.from_numpy(arrays[each].astype(np.int64)) for each in ("y", "val_y"))
    classes = 1 + int(max(y.max(), val_y.max()))
    model = NETWORKS[options.network](classes).to(memory_format=torch.channels_last)
    step = torch.compile(model) if options.compile else model
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    for _ in range(options.epochs):
        model.train()
        for images, labels in batches(x, y, torch.randperm(len(x)), options.batch):
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(step(images), labels).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            order = torch.arange(len(val_x))
            for images, labels in batches(val_x, val_y, order, options.batch):
                (step(images).argmax(1) == labels).float().mean().item()
        print(time.time(), flush=True)


if __name__ == "__main__":
    main()
