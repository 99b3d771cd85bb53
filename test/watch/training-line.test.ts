/** Training lines as trainers print them: step, loss and speed, and lines that are not training lines. */

import { describe, expect, it } from 'vitest';
import { readTrainingLine } from '../../src/diagnosis/training-line.ts';
import { NO_LOG_FACTS } from '../../src/watch/log-facts.ts';
import { medianPace } from '../../src/watch/training.ts';
import { readLogText } from '../support/log-text.ts';

type Said = { step?: number; total?: number; loss?: string; seconds?: number; tokens?: number };
function said(line: string): Said | null {
  const read = readTrainingLine(line);
  if (read === null || read.work === 'other' || read.work === 'eval') return null;
  return {
    ...(read.step === null ? {} : { step: read.step.value }),
    ...(read.total === null ? {} : { total: read.total.value }),
    ...(read.measures.loss === undefined ? {} : { loss: read.measures.loss }),
    ...(read.secondsPerStep === null ? {} : { seconds: Number(read.secondsPerStep.toPrecision(3)) }),
    ...(read.tokensPerSecond === null ? {} : { tokens: read.tokensPerSecond }),
  };
}

describe('a training line', () => {
  it.each<[string, string, Said]>([
    ["of Hugging Face's trainer", "{'loss': 2.11, 'grad_norm': 0.74, 'epoch': 0.01}", { loss: '2.11' }],
    [
      'of Megatron',
      ' iteration      100/  500000 | elapsed time per iteration (ms): 6102.1 | global batch size:  1024 | lm loss: 2.408989E+00 | loss scale: 1.0 |',
      { step: 100, total: 500_000, loss: '2.408989E+00', seconds: 6.1 },
    ],
    [
      'of Lightning, with the total of one epoch',
      'Epoch 0:  25%|██▌       | 500/2000 [06:05<18:15,  1.37it/s, v_num=3, train/loss=2.608]',
      { step: 500, loss: '2.608', seconds: 0.73 },
    ],
    [
      'of Lightning, with its own name for the loss of a step',
      'Epoch 0:  25%|##5  | 500/2000 [06:05<18:15,  1.37it/s, v_num=3, train_loss_step=2.608]',
      { step: 500, loss: '2.608', seconds: 0.73 },
    ],
    [
      'of Composer, with tokens per second',
      '[batch=1201/40000]: Train time/token: 5037359104  Train loss/train/total: 2.1794 Train throughput/tokens_per_sec: 414069',
      { step: 1201, total: 40_000, loss: '2.1794', tokens: 414_069 },
    ],
    [
      'of Composer, with the name of its metric',
      '[batch=1201/40000]: Train metrics/train/LanguageCrossEntropy: 2.1794',
      { step: 1201, total: 40_000, loss: '2.1794' },
    ],
    ['of tqdm', '  2%|▏         | 50/2436 [01:06<52:29,  1.32s/it]', { step: 50, total: 2436, seconds: 1.32 }],
    [
      'of torchtitan',
      'step: 10  loss: 7.5123  grad_norm: 1.2  memory: 12GiB(15%)  tps: 1,234  mfu: 20.1%',
      { step: 10, loss: '7.5123', tokens: 1234 },
    ],
    [
      'of MaxText',
      'completed step: 10, seconds: 2.3, TFLOP/s/device: 100, Tokens/s/device: 1000.5, loss: 7.8',
      { step: 10, loss: '7.8', seconds: 2.3, tokens: 1000.5 },
    ],
    ['of nanoGPT', 'iter 100: loss 2.3411, time 30.12ms', { step: 100, loss: '2.3411', seconds: 0.0301 }],
    [
      'of NeMo',
      'global_step: 3007 | reduced_train_loss: 6.642 | train_step_timing in s: 5.416',
      { step: 3007, loss: '6.642', seconds: 5.42 },
    ],
    ['in JSON', '{"step": 100, "loss": 2.3}', { step: 100, loss: '2.3' }],
    ['of a tutorial', 'Epoch [1/10], Step [100/600], Loss: 0.1234', { step: 100, loss: '0.1234' }],
    ['of DeepSpeed', '[Rank 0] step=560, skipped=2, lr=[9.6e-06]', { step: 560 }],
    ['with a loss that is not a number', 'step=100 loss=nan', { step: 100, loss: 'nan' }],
  ])('%s is read', (_, line, expected) => expect(said(line)).toEqual(expected));

  it.each([
    'val loss: 3.2 step 100',
    "{'eval_loss': 2.1, 'eval_runtime': 3}",
    'Sanity Checking:  50%|████ | 1/2 [00:00<00:00, 5.0it/s]',
    'Map: 100%|██| 100/100 [00:00<00:00, 5.0 examples/s]',
    'Loading checkpoint shards:  50%|█████     | 1/2 [00:01<00:01,  1.2s/it]',
    'model.bin:  50%|█████     | 1.2G/2.4G [00:10<00:10, 120MB/s]',
    'checkpoint of step 100 was written',
    'z_loss: 0.1',
  ])('is not read from: %s', (line) => expect(said(line)).toBeNull());
});

describe('the memory in use', () => {
  it.each([
    ['of torchtitan', 'step: 10  loss: 7.5123  memory: 74.334GiB(93.9%)  tps: 5,834', '93.9%'],
    ['of torchvision', 'Epoch: [3]  [ 410/5004]  lr: 0.0001  loss: 4.8120 (5.1102)  max mem: 15011', '15011MB'],
    ['of OpenMMLab', 'Epoch [1][50/1000] lr: 1e-4, memory: 4321, loss: 2.3, grad_norm: 1.2', '4321MB'],
    ['of Detectron2', 'iter: 19  total_loss: 9.6  lr: 0.01  max_mem: 2401M', '2401MB'],
    ['of Axolotl', "{'loss': 1.2, 'memory/max_active (GiB)': 34.2041, 'epoch': 0.1}", '34.2GiB'],
    ['given as a percentage', 'step 100 loss 2.5 gpu_mem=71.25%', '71.3%'],
    ['in a progress bar', ' 25%|██▌       | 500/2000 [06:05<18:15,  1.37it/s, loss=2.6, gpu_mem=3.2G]', '3.2GB'],
  ])('%s is read', (_, line, memory) => expect(readTrainingLine(line)?.memory).toBe(memory));

  it.each([
    'step 100 loss 2.5',
    'step 100 loss 2.5 cpu mem: 93%',
    'step 100 loss 2.5 free memory: 12GiB',
    'step 100 loss 2.5 memory: 0.91',
    'step 100 loss 2.5 memory: 15,011',
    'step 100 loss 2.5 gpu_mem=171%',
    'step 100 loss 2.5 memory_time: 500ms',
    'step 100 loss 2.5 mem: 500ms',
  ])('is not read from: %s', (line) => expect(readTrainingLine(line)).toMatchObject({ memory: null }));
});

describe('the memory in use, on a separate line,', () => {
  it.each([
    [
      'Megatron-LM',
      '[Rank 0] (after 2 iterations) memory (MB) | allocated: 6689.83056640625 | max allocated: 11245.501 | reserved: 12450.0 | max reserved: 12450.0',
      '11245MB',
    ],
    [
      'DeepSpeed',
      '[2026-11-21 09:00:00,123] [INFO] [utils.py:782:see_memory_usage] MA 12.51 GB         Max_MA 15.02 GB         CA 16.2 GB         Max_CA 17 GB ',
      '15.02GB',
    ],
    ['MaxText', '\tUsing (GB) 5.72 / 95.74 (5.974514%) on TPU_0(process=0,(0,0,0,0))', '5.97%'],
    [
      'JAX',
      "{'num_allocs': 12, 'bytes_in_use': 42949672960, 'peak_bytes_in_use': 1, 'bytes_limit': 85899345920}",
      '50%',
    ],
    ['nvidia-smi', '| N/A   45C    P0             299W / 400W |  71234MiB /  81920MiB |     98%      Default |', '87%'],
    ['Composer', '\t Train memory/peak_reserved_mem: 40.1230', '40.12GB'],
  ])('as %s prints it', (_, line, memory) => {
    const read = readLogText(NO_LOG_FACTS, `step 1 loss 2.5\n${line}\nstep 2 loss 2.4\n`);
    expect(read.training.latest.memory).toBe(memory);
    expect(read).toMatchObject({ step: { value: 2 }, loss: '2.4', failures: [] });
  });

  it.each([
    "{'bytes_in_use': 42949672960}",
    "{'peak_bytes_in_use': 10, 'bytes_limit': 20}",
    "{'bytes_in_use': 30, 'bytes_limit': 20}",
    'CPU Virtual Memory:  used = 53.31 GB, percent = 5.3%',
    'downloaded 12MiB / 90MiB',
    'memory (MB) | allocated: - | max allocated: - | reserved: -',
  ])('is not read from: %s', (line) => {
    expect(readLogText(NO_LOG_FACTS, `step 1 loss 2.5\n${line}\n`).training.latest.memory).toBeNull();
  });
});

describe('a log', () => {
  it('with an overwritten bar yields the step without a newline', () => {
    const facts = readLogText(
      NO_LOG_FACTS,
      '  0%|          | 10/2436 [00:13<53:22,  1.32s/it]\r  0%|          | 11/2436 [00:14<53:21,  1.32s/it]\r',
    );
    const read = readLogText(facts, '  0%|          | 12/2436 [00:15<53:20,  1.32s/it]\r');
    expect(read.step).toEqual({ value: 11, exact: true });
    expect(read.exactTotal).toBe(2436);
    expect(medianPace(read.training)).toEqual({
      secondsPerStep: '1.32',
      tokensPerSecond: null,
      remainingSeconds: 3201,
    });
  });

  it('does not take another bar for the training once the total is known', () => {
    const facts = readLogText(
      NO_LOG_FACTS,
      '  Total optimization steps = 2,436\n  0%| | 10/2436 [00:13<53:22,  1.32s/it]\n 50%|█| 5/10 [00:13<00:22,  1.32s/it]\n',
    );
    expect(facts).toMatchObject({ exactTotal: 2436, step: { value: 10 } });
  });

  it('of any trainer reports a loss that is not a number', () => {
    const facts = readLogText(NO_LOG_FACTS, 'step 1 loss 3.1\nstep 2 loss nan\n');
    expect(facts.failures.map(({ id }) => id)).toEqual(['loss-not-finite']);
  });

  it('may lose the gradient to the loss scale for two steps, but not for three', () => {
    const line = (step: number) => `{"step": ${step}, "loss": 3.1, "grad_norm": NaN}\n`;
    const two = readLogText(NO_LOG_FACTS, `${line(1)}${line(2)}`);
    expect(two.failures).toEqual([]);
    expect(readLogText(two, line(3)).failures).toHaveLength(1);
  });

  it('keeps rounded steps, and the exact total only from the first bar', () => {
    const facts = readLogText(
      NO_LOG_FACTS,
      'Progress on:train -/5155 rate:- remaining:? elapsed:00:00 postfix:-\nProgress on:train 1.00kit/5.16kit rate:2.0it/s remaining:34:02 elapsed:08:20 postfix:loss=3.47\n',
    );
    expect(facts).toMatchObject({ exactTotal: 5155, step: { value: 1000, exact: false }, loss: '3.47' });
  });
});
