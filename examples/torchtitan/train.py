"""torchtitan in small: a character model in pure Python, with torchtitan's TOML, log lines and checkpoints."""
import argparse, inspect, logging, math, os, pickle, random, sys, time, tomllib

config = tomllib.load(open(sys.argv[1], "rb"))
lr, batch, steps = config["optimizer"]["lr"], config["training"]["local_batch_size"], config["training"]["steps"]
logging.basicConfig(format="[rank0]:[titan] %(asctime)s - root - %(levelname)s - %(message)s", level="INFO", stream=sys.stdout)
text = inspect.getsource(argparse)
pairs = list(zip(text, text[1:]))
train, val = pairs[: len(pairs) * 9 // 10], pairs[len(pairs) * 9 // 10 :]
model = {char: dict.fromkeys(sorted(set(text)), 0.0) for char in set(text)}
random.seed(config["training"]["seed"])

def predict(char):
    odds = {after: math.exp(logit) for after, logit in model[char].items()}
    total = sum(odds.values())
    return {after: one / total for after, one in odds.items()}

began = time.time()
logging.info(f"Training starts at step 1, with local batch size {batch}, sequence length 1, total steps {steps}")
for step in range(1, steps + 1):
    loss, norm = 0.0, 0.0
    for char, target in random.choices(train, k=batch):
        odds = predict(char)
        loss, norm = loss - math.log(odds[target]) / batch, norm + (1 - odds[target]) ** 2 / batch
        model[char] = {after: w - lr * (odds[after] - (after == target)) for after, w in model[char].items()}
    if step == 1 or step % config["metrics"]["log_freq"] == 0:
        tps = step * batch / (time.time() - began)
        logging.info(f"step: {step:2}  loss: {loss:8.5f}  grad_norm: {norm:7.4f}  memory:  0.05GiB(0.10%)  tps: {tps:,.0f}  tflops: 0.00  mfu: 0.00%")
    if step % config["checkpoint"]["interval"] == 0:
        logging.info(f"validate step: {step}  loss: {sum(-math.log(predict(a)[b]) for a, b in val) / len(val):8.5f}")
        os.makedirs(f"{sys.argv[2]}/step-{step}")
        pickle.dump(model, open(f"{sys.argv[2]}/step-{step}/model.pt", "wb"))
        logging.info(f"Finished saving the checkpoint (or staging if async is enabled)in {time.time() - began:.2f} seconds.")
