"""nanoGPT in small: a character model in pure Python, with nanoGPT's configurator, log lines and checkpoint."""
import argparse, inspect, math, os, pickle, random, sys, time

exec(open(sys.argv[1]).read())
out_dir = sys.argv[2].removeprefix("--out_dir=")
os.makedirs(out_dir, exist_ok=True)
text = inspect.getsource(argparse)
pairs = list(zip(text, text[1:]))
train, val = pairs[: len(pairs) * 9 // 10], pairs[len(pairs) * 9 // 10 :]
model = {char: dict.fromkeys(sorted(set(text)), 0.0) for char in set(text)}
random.seed(1337)

def predict(char):
    odds = {after: math.exp(logit) for after, logit in model[char].items()}
    total = sum(odds.values())
    return {after: one / total for after, one in odds.items()}

def estimate_loss(part):
    return sum(-math.log(predict(char)[after]) for char, after in part[::4]) / len(part[::4])

for step in range(max_iters + 1):
    if step % eval_interval == 0:
        print(f"step {step}: train loss {estimate_loss(train):.4f}, val loss {estimate_loss(val):.4f}", flush=True)
        print(f"saving checkpoint to {out_dir}", flush=True)
        pickle.dump(model, open(f"{out_dir}/ckpt.pt", "wb"))
    began, loss = time.time(), 0.0
    for char, target in random.choices(train, k=batch_size):
        odds = predict(char)
        loss -= math.log(odds[target]) / batch_size
        model[char] = {after: w - learning_rate * (odds[after] - (after == target)) for after, w in model[char].items()}
    if step % 100 == 0:
        print(f"iter {step}: loss {loss:.4f}, time {1000 * (time.time() - began):.2f}ms, mfu -100.00%", flush=True)
