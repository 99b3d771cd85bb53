learning_rate = 0.05
batch_size = 128
max_iters = 8000
eval_interval = 2000
