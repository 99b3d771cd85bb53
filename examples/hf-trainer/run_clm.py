"""The Hugging Face Trainer in small: a character model in pure Python, with its bar, dictionaries and checkpoints."""
import argparse, inspect, math, os, pickle, random, re, sys, time

config = {name: float(value) for name, value in re.findall(r"^(\w+): ([\d.e-]+)$", open(sys.argv[1]).read(), re.M)}
steps, lr = int(config["max_steps"]), config["learning_rate"]
text = inspect.getsource(argparse)
pairs = list(zip(text, text[1:]))
train, val = pairs[: len(pairs) * 9 // 10], pairs[len(pairs) * 9 // 10 :]
model = {char: dict.fromkeys(sorted(set(text)), 0.0) for char in set(text)}
random.seed(42)

def predict(char):
    odds = {after: math.exp(logit) for after, logit in model[char].items()}
    total = sum(odds.values())
    return {after: one / total for after, one in odds.items()}

began, loss = time.time(), 0.0
for step in range(1, steps + 1):
    for char, target in random.choices(train, k=int(config["per_device_train_batch_size"])):
        odds = predict(char)
        loss -= math.log(odds[target]) / config["per_device_train_batch_size"]
        model[char] = {after: w - lr * (odds[after] - (after == target)) for after, w in model[char].items()}
    if step % 200 == 0:
        seconds = time.time() - began
        print(f"\r{step / steps:4.0%}|{'█' * (40 * step // steps):40}| {step}/{steps} [{seconds // 60:02.0f}:{seconds % 60:02.0f}"
              f"<{seconds / step * (steps - step) // 60:02.0f}:{seconds / step * (steps - step) % 60:02.0f}, {step / seconds:5.2f}it/s]")
        print({"loss": round(loss / 200, 4), "learning_rate": lr, "epoch": round(step / steps, 2)}, flush=True)
        loss = 0.0
    if step % config["eval_steps"] == 0:
        print({"eval_loss": sum(-math.log(predict(a)[b]) for a, b in val) / len(val), "epoch": round(step / steps, 2)})
        os.makedirs(folder := f"{sys.argv[2]}/checkpoint-{step}")
        print(f"Saving model checkpoint to {folder}", flush=True)
        pickle.dump(model, open(f"{folder}/pytorch_model.bin", "wb"))
