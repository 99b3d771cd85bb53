"""A sweep that somebody starts by hand: it trains for half a minute, and sums up what it found."""

import os
import random
import time

STEPS = 120
DELAY_SECONDS = float(os.environ.get("LAB_STEP_DELAY_MS", "250")) / 1000


def train() -> float:
    """Trains to the end and gives the last loss."""
    noise = random.Random(7)
    loss = 6.0
    for step in range(1, STEPS + 1):
        loss = 2.0 + 4.0 / (1.0 + 0.05 * step) + noise.uniform(-0.01, 0.01)
        print(f"step={step}/{STEPS} loss={loss:.4f}", flush=True)
        time.sleep(DELAY_SECONDS)
    return loss


if __name__ == "__main__":
    final = train()
    print(f"perplexity={math.exp(final):.2f}", flush=True)
    print(f"Training finished after {STEPS} steps", flush=True)
