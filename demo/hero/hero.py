# Copyright the example lab.
# SPDX-License-Identifier: Apache-2.0
"""The rehearsed hero run: the lab's trainer at its usual size, begun from nothing or from the checkpoint that it is given."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from smalllab.config import ResourceConfig, SimpleTrainConfig, llama_tiny
from smalllab.train import default_train


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", required=True)
    parser.add_argument("--max-steps", type=int, required=True)
    parser.add_argument("--initialize-from", type=Path)
    arguments = parser.parse_args()
    default_train(
        name=arguments.run,
        model_config=llama_tiny,
        train_config=SimpleTrainConfig(
            resources=ResourceConfig.with_tpu("v5p-8"),
            train_batch_size=8,
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
            steps_per_temporary_checkpoint=50,
        ),
        data_mixture={"prose": 0.7, "code": 0.2, "math": 0.1},
        tags=["hero"],
        initialize_from=arguments.initialize_from,
    )


if __name__ == "__main__":
    main()
