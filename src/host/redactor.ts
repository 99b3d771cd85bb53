/** Takes secrets out of a text before it is stored or posted: every known value, however it was written down, and what looks like a token. */

import { secretForms } from './secret-forms.ts';

/** Token shapes of the services in this domain (GitHub, Hugging Face, W&B, AWS, Google, Slack, JWT, PEM private keys). */
const SHAPES: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,255}\b/g,
  /\bhf_[A-Za-z0-9]{20,100}\b/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,200}\b/g,
  /\bsk-[A-Za-z0-9_-]{20,200}\b/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** `WANDB_API_KEY=…`, `"HF_TOKEN": "…"`, `Authorization: Bearer …`: the value after a name that says what it is. */
const NAMED =
  /((?:[A-Z0-9_]*(?:TOKEN|SECRET|PASSWORD|API_KEY|PRIVATE_KEY)|authorization)["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)?)([^\s"',;}]{4,})/gi;

const REPLACEMENT = '***';
/** A shorter value occurs by chance in ordinary text. */
const SECRET_CHARACTERS_MIN = 6;

/** The text without the given secrets and without what looks like one. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets
    .filter((secret) => secret.length >= SECRET_CHARACTERS_MIN)
    .toSorted((a, b) => b.length - a.length);
  let clean = text;
  for (const secret of known) {
    for (const form of secretForms(secret)) {
      clean = clean.replaceAll(form, REPLACEMENT);
    }
  }
  return withoutTokens(clean).replace(NAMED, (_whole, name: string) => `${name}${REPLACEMENT}`);
}

/** The text without what has the shape of a token: for what people write, where `pad_token=7` is a setting. */
export function withoutTokens(text: string): string {
  return SHAPES.reduce((clean, shape) => clean.replace(shape, REPLACEMENT), text);
}
