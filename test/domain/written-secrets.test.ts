/**
 * Text that a person types into an issue or a comment: which parts are secrets, and which only look like
 * secrets.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecretNames, maskTokens } from '../../src/domain/written-secrets.ts';

const SIGNS = 'aZ3kQ9xB1mW7cR5tY2nH8vD4fL6gJ0pS';
const opaque = fc
  .array(fc.constantFrom(...SIGNS), { minLength: 20, maxLength: 60 })
  .map((signs) => `7f${signs.join('')}q2`);

describe('a secret that a person typed', () => {
  it.each([
    ['HF_TOKEN=hf_aZ3kQ9xB1mW7cR5tY2nH8vD4fL python3 train.py', ['HF_TOKEN']],
    ['python3 train.py --github ghp_aZ3kQ9xB1mW7cR5tY2nH8vD4fL6gJ0pSaZ3k', ['--github']],
    ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', ['AWS_SECRET_ACCESS_KEY']],
    ['WANDB_API_KEY=0f9e1d8c2b7a34560f9e1d8c2b7a34560f9e1d8c', ['WANDB_API_KEY']],
    ['python3 train.py --service-password "Zx81kQp2Lm93vNt7"', ['--service-password']],
    ['python3 train.py --db.password=Zx81kQp2Lm93vNt7', ['--db.password']],
    ['vault_token: Zx81kQp2Lm93vNt7', ['vault_token']],
    ['{"api_key": "Zx81kQp2-Lm93vNt7"}', ['api_key']],
    ["HF_TOKEN=hf_''aZ3kQ9xB1mW7cR5tY2nH8vD4fL", ['HF_TOKEN']],
    ['LAB_KEY=ZxQpLmVnTkRsWqYb', ['LAB_KEY']],
    ['see hf_aZ3kQ9xB1mW7cR5tY2nH8vD4fL', []],
    ['VAULT_TOKEN=***', ['VAULT_TOKEN']],
  ])('is found in %j by its place', (text, names) => {
    expect(findSecretNames(text)).toEqual(names);
  });

  it.each([
    'python3 train.py --tokenizer meta-llama/Llama-3.1-8B-Instruct',
    'KEY_FROM=WANDB_API_KEY_OF_THE_LAB python3 train.py',
    'secret_name=my-k8s-secret-of-the-lab',
    'k8s_secret=my-k8s-secret-of-the-lab',
    'python3 train.py --hf-token "$HF_TOKEN_OF_THE_LAB"',
    'WANDB_API_KEY=${WANDB_API_KEY_OF_LAB} python3 train.py',
    'HF_TOKEN=$(cat /run/secrets/hf-token)',
    'pad_token=7 eos_token=<|begin_of_sentence|> mask_token={mask_token_of_lab}',
    '--sort-key validation_loss_of_the_mean',
    '--metric-key=eval/paloma/c4_en/bpb',
    'SSH_KEY=/home/ada/.ssh/id_ed25519_of_2026',
    'DATA_KEY=gs://marin-us-central2/tokenized/nemotron-3f9a8b7c',
    '--token-budget 18000000000000000',
    'max_token=18000000000000000000',
    '--prng-key 12345678901234567890',
    'FERRY_DATE=hero LAB_OUTPUT_ROOT={outputRoot} python3 experiments/ferries/daily.py',
    '--initialize-from gs://lab/runs/r1/step-58014',
    'The key: characterization of the loss after step 600.',
    'pytorch/pytorch@sha256:0f9e1d8c2b7a34560f9e1d8c2b7a34560f9e1d8c2b7a34560f9e1d8c2b7a3456',
    '0f9e1d8c2b7a34560f9e1d8c2b7a34560f9e1d8c',
    'tokenizer_class_key=LlamaTokenizerFast',
  ])('is not found in %j', (text) => {
    expect(findSecretNames(text)).toBeNull();
    expect(maskTokens(text)).toBe(text);
  });

  it('is not a reference to a variable in an address', () => {
    expect(findSecretNames('--index https://user:$PASSWORD_OF_LAB@host/path')).toBeNull();
    expect(findSecretNames('--index https://user:Zx81kQp2@host/path')).toEqual(['--index']);
  });

  it('leaves no part of its value in the text or in the names, in any notation', () => {
    const name = fc.constantFrom('LAB_API_KEY', 'my.token', 'client-secret', 'DB_PASSWORD');
    const place = fc.constantFrom(
      (key: string, value: string) => `${key}=${value} python3 train.py`,
      (key: string, value: string) => `python3 train.py --${key} ${value}`,
      (key: string, value: string) => `python3 train.py --${key}="${value}"`,
      (key: string, value: string) => `config:\n  ${key}: ${value}\n`,
      (key: string, value: string) => JSON.stringify({ [key]: value }),
    );
    fc.assert(
      fc.property(name, place, opaque, (key, write, value) => {
        const text = write(key, value);
        const names = findSecretNames(text);
        expect(names?.join(' ')).toContain(key);
        expect(`${maskTokens(text)} ${names}`).not.toContain(value.slice(0, 8));
        expect(maskTokens(maskTokens(text))).toBe(maskTokens(text));
      }),
    );
  });
});
