# Copyright the example lab.
# SPDX-License-Identifier: Apache-2.0
"""A small finetuning for a rented card: the lab's trainer, with a memory that a large batch does not fit into."""

import argparse
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from smalllab.config import ResourceConfig, SimpleTrainConfig, llama_tiny
from smalllab.train import default_train

# What the rehearsed card has, and what its activations take for each sequence of a batch.
CARD_BYTES = 512 << 20
SEQUENCE_BYTES = 24 << 20
STATM = Path("/proc/self/statm")


def mapped_bytes() -> int:
    """What this interpreter has mapped by itself: more on one machine than on another, and none of the card's."""
    return int(STATM.read_text().split()[0]) * resource.getpagesize() if STATM.exists() else 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-steps", type=int, required=True)
    parser.add_argument("--batch-size", type=int, required=True)
    arguments = parser.parse_args()
    most = mapped_bytes() + CARD_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    activations = bytearray(SEQUENCE_BYTES * arguments.batch_size)
    default_train(
        name="finetune",
        model_config=llama_tiny,
        train_config=SimpleTrainConfig(
            resources=ResourceConfig.with_tpu("v5p-8"),
            train_batch_size=min(arguments.batch_size, 8),
            train_seq_len=llama_tiny.max_seq_len,
            num_train_steps=arguments.max_steps,
            learning_rate=3e-3,
            lr_schedule="linear",
            warmup=100,
            decay=0.2,
            weight_decay=0.1,
            min_lr_ratio=0.1,
            z_loss_weight=1e-4,
            max_grad_norm=1.0,
            steps_per_eval=100,
            steps_per_checkpoint=200,
            steps_per_temporary_checkpoint=100,
        ),
        data_mixture={"prose": 0.7, "code": 0.2, "math": 0.1},
        tags=["rental"],
    )
    del activations


if __name__ == "__main__":
    main()
