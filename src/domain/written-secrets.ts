/** Finds secrets in a text: known token formats, and literals assigned to a name that suggests a secret. */

import { limits } from './limits.ts';
import { cutText } from './values.ts';

// Published token formats of common services. Untrusted text passes through all patterns, so every repetition is bounded and no match
// starts inside another token.

/** Tokens with a unique prefix and length; digests, commits and run names do not match. */
const TOKENS: readonly RegExp[] = [
  // GitHub: classic, OAuth, user, server (the newer form has dots), refresh; fine-grained.
  /\bgh[pousr]_(?:[A-Za-z0-9_]|[.-](?=[A-Za-z0-9_])){20,2048}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,255}\b/g,
  // GitLab: personal, pipeline trigger, runner, deploy, feed, CI job, SCIM, agent, OAuth secret, mail, feature flags.
  /\bgl(?:pat|ptt|rt|dt|ft|cbt|soat|agent|oas|imt|ffct|rtr)-[A-Za-z0-9_.-]{20,300}/g,
  /\bgldt-[A-Za-z0-9_-]{20,64}/g,
  /\bGR1348941[A-Za-z0-9_-]{20,64}/g,
  // Bitbucket and Atlassian: app password, API token, repository access token.
  /\bATBB[A-Za-z0-9_-]{24,64}\b/g,
  /\bAT[AC]TT3xFfGF0[A-Za-z0-9_=-]{40,300}/g,
  // Registries: npm, PyPI, crates.io, Docker Hub, RubyGems.
  /\bnpm_[A-Za-z0-9]{36,64}\b/g,
  /\bpypi-[A-Za-z0-9_-]{40,1024}/g,
  /\bcio[A-Za-z0-9]{32}\b/g,
  /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}/g,
  /\brubygems_[0-9a-f]{48}\b/g,
  // AWS key ids, Google API keys, OAuth tokens and client secrets.
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bya29\.[A-Za-z0-9_.-]{20,2048}/g,
  /\bGOCSPX-[A-Za-z0-9_-]{20,64}/g,
  // Models and experiments: Hugging Face, W&B, OpenAI and Anthropic, Replicate, Groq.
  /\b(?:hf|api_org)_[A-Za-z0-9]{20,100}\b/g,
  /\bwandb_v[0-9]_[A-Za-z0-9_-]{20,200}/g,
  // Names such as `sk-learn-…` have no upper case.
  /\bsk-(?=[a-z0-9_-]{0,64}[A-Z])[A-Za-z0-9_-]{20,255}/g,
  /\b(?:r8|gsk)_[A-Za-z0-9]{36,64}\b/g,
  // Chat, mail, money: Slack, Discord, Telegram, SendGrid, Mailgun, Twilio, Stripe.
  /\bx(?:ox[a-z]|app)(?:\.xox[a-z])?-[A-Za-z0-9-]{10,255}/g,
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{20,128}/g,
  /\bdiscord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/[0-9]{15,22}\/[A-Za-z0-9_-]{20,128}/g,
  /\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,48}/g,
  /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}/g,
  /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /\b(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,255}/g,
  /\bwhsec_[A-Za-z0-9+/=]{24,128}/g,
  // Infrastructure: DigitalOcean, Databricks, HashiCorp, Pulumi, Grafana, Tailscale, age.
  /\bdo[opr]_v1_[0-9a-f]{64}\b/g,
  /\bdapi[0-9a-f]{32}\b/g,
  /\bhv[sbr]\.[A-Za-z0-9_-]{24,255}/g,
  /\bpul-[0-9a-f]{40}\b/g,
  /\bgl(?:c_[A-Za-z0-9+/]{32,400}|sa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8})/g,
  /\btskey-[a-z]{3,12}-[A-Za-z0-9-]{10,128}/g,
  /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g,
  // PEM (RFC 7468); an unterminated key extends to the end of the text.
  /-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,64}PRIVATE KEY(?: BLOCK)?-----|$)/g,
];

/** Secrets after a keyword, which is kept as the first group. */
const AFTER_A_NAME: readonly RegExp[] = [
  // Authorization headers, passwords in URLs, signed URLs of Azure, S3 and Cloud Storage.
  /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|negotiate|digest)\s{1,4})[A-Za-z0-9._~+/=:-]{6,4096}/gi,
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'<>]{0,128}:)[^\s:/@"'<>]{1,255}(?=@)/gi,
  /(:\/\/)[A-Za-z0-9_-]{20,255}(?=@)/g,
  /([?&;](?:sig|x-amz-signature|x-amz-security-token|x-goog-signature)=)[A-Za-z0-9%+/=_-]{16,2048}/gi,
  // Old W&B keys, Vast keys and Twilio keys are plain hex.
  /(\bwandb[a-z_. -]{0,24}["']?\s{0,4}[:= ]\s{0,4}["']?)[0-9a-f]{40}\b/gi,
  /(\bvast(?:ai)?[a-z_. -]{0,24}["']?\s{0,4}[:= ]\s{0,4}["']?)[0-9a-f]{64}\b/gi,
  /(\btwilio[a-z_. -]{0,24}["']?\s{0,4}[:= ]\s{0,4}["']?)[0-9a-f]{32}\b/gi,
];

/** Values after a name that suggests a secret, such as `WANDB_API_KEY=…` or `"HF_TOKEN": "…"`. */
const NAMED: readonly RegExp[] = [
  /((?:token|secret|passw(?:or)?d|passphrase|credentials?|api_?key|private_?key|(?:secret|access|account|auth|signing|ssh|encryption)_key|authorization)["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer\s{1,4}|basic\s{1,4})?)[^\s"',;}]{4,4096}/gi,
  /(\b[A-Z0-9_]{1,64}_KEY(?:_ID)?["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;}]{4,4096}/g,
  /(\bSECRET_[A-Z0-9_]{1,64}["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;}]{4,4096}/g,
];

/** JSON Web Tokens (RFC 7519) with all three parts; each character run is scanned once. */
const RUN = /[A-Za-z0-9_.-]{24,}/g;
const WEB_TOKEN = /^eyJ[A-Za-z0-9_-]{10,}$/;

function maskTokenShapes(text: string, replacement: string): string {
  const withoutTokens = TOKENS.reduce((clean, shape) => clean.replace(shape, replacement), text);
  const withoutValues = AFTER_A_NAME.reduce(
    (clean, shape) => clean.replace(shape, (_whole, name: string) => `${name}${replacement}`),
    withoutTokens,
  );
  return withoutValues.replace(RUN, (run) => maskWebTokens(run, replacement));
}

/** Replaces values after names that suggest a secret. */
function maskNamedSecrets(text: string, replacement: string): string {
  return NAMED.reduce((clean, shape) => clean.replace(shape, (_whole, name: string) => `${name}${replacement}`), text);
}

function maskWebTokens(run: string, replacement: string): string {
  const parts = run.split('.');
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [head = '', body = '', end = ''] = parts.slice(at, at + 3);
    const begin = head.search(/(?<![A-Za-z0-9_])eyJ/);
    if (begin >= 0 && WEB_TOKEN.test(head.slice(begin)) && WEB_TOKEN.test(body) && end.length >= 10) {
      kept.push(`${head.slice(0, begin)}${replacement}`);
      at += 2;
    } else kept.push(head);
  }
  return kept.join('.');
}

export const HIDDEN = '***';

const NAME = String.raw`[\w.-]{0,64}(?:key|token|secret|passw(?:or)?d|passphrase)`;
/** `NAME=value`, `name: value`, `"name": "value"`, `--name value`, with at least 16 characters in the value. */
const ASSIGNED = new RegExp(
  String.raw`(?<![\w.-])((?:${NAME}["']?\s{0,4}[:=]|--?${NAME}\s)\s{0,4}["']?)([^\s"'\`,;]{16,4096})`,
  'gi',
);
/** `$X`, `${X}`, `$(command)`, `{placeholder}`, `<|special token|>`. */
const REFERENCE = /^(?:\$[A-Za-z_{(]|\{|<)/;
const PATH = /^(?:[a-z][a-z0-9+.-]{0,20}:\/\/|(?:\.{0,2}|~)\/(?:[\w.-]+\/)+[\w.-]+$)/i;
const NUMBER = /^[\d.,_+-]+$/;
const WORD = /^(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20}|[A-Za-z]{1,10}\d{1,4}[a-z]?|\d{1,8}[A-Za-z]{0,2})$/;

/** Replaces secrets; keeps settings such as `pad_token=7` and names such as `my-k8s-secret`. */
export function maskTokens(text: string): string {
  return maskTokenShapes(text, HIDDEN).replace(ASSIGNED, (whole, name: string, value: string) =>
    isLiteralSecret(value) ? `${name}${HIDDEN}` : whole,
  );
}

/** Like `withoutTokens`, for all texts in machine output: there, `token=…` is a secret of any length. */
export function maskMachineSecrets<Value>(value: Value): Value {
  const clean = (one: unknown): unknown => {
    if (typeof one === 'string') return maskNamedSecrets(maskTokens(one), HIDDEN);
    if (Array.isArray(one)) return one.map(clean);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [maskTokens(name), clean(inner)]));
  };
  return clean(value) as Value;
}

/** Names of variables and options that hold a secret, including replaced ones; null if there is no secret. */
export function findSecretNames(text: string): readonly string[] | null {
  const written = text.replace(/(?<=[=:\s"'])(?:\$\{?\w{1,64}\}?|\{\w{1,64}\})(?=[\s"'@]|$)/g, '');
  // A shell joins `hf_''abc` into one word.
  const clean = [written, written.replace(/["'\\]/g, '')].map(maskTokens);
  const found = clean.filter((one) => one.includes(HIDDEN));
  return found.length === 0 ? null : [...new Set(found.flatMap(listMaskedNames))];
}

function listMaskedNames(clean: string): readonly string[] {
  const before =
    /(?<![\w.-])(?:(-{0,2}[A-Za-z_][\w.-]{0,63})(?:=|:\s{1,4}|["']\s{0,4}:\s{0,4})|(--?[A-Za-z_][\w.-]{0,63})\s{1,4})["']?[^\s"'=]{0,64}\*\*\*/g;
  return [...clean.matchAll(before)].flatMap(([, assigned, option]) => {
    const name = assigned ?? option ?? '';
    return isLiteralSecret(name) ? [] : [name];
  });
}

/** False for references, paths, numbers and identifiers made of words. */
function isLiteralSecret(value: string): boolean {
  if (REFERENCE.test(value) || PATH.test(value) || NUMBER.test(value)) return false;
  return !value.split(/[^A-Za-z0-9]+/).every(consistsOfWords);
}

function consistsOfWords(chunk: string): boolean {
  const words = chunk.split(/(?<=[a-z])(?=[A-Z])/);
  // Random text alternates between letters, digits and cases more often than words do.
  const numbers = chunk.match(/\d+/g) ?? [];
  const isCalm = numbers.length <= 1 && words.length <= Math.max(1, chunk.length / 3);
  return chunk === '' || (isCalm && words.every((word) => WORD.test(word)));
}

/**
 * Redacts and truncates a log line. The end of a line too long to read whole may be half a secret, which redaction misses. Cut that end off after
 * redaction, even if redaction shortened the line.
 */
export function redactAndTruncateLine({ redact }: { readonly redact: (text: string) => string }, line: string): string {
  const clean = redact(line);
  const whole =
    line.length < limits.logLineCharsMax ? clean : cutText(clean, clean.length - limits.secretCharactersMax);
  return cutText(whole, limits.messageCharactersMax);
}

const START = '(withheld: ';

/** `missing`: names of the missing variables. */
export function textForWithheld(missing: readonly string[]): string {
  return `${START}this process was not given ${missing.join(', ')} and cannot redact it)`;
}

/** Two placeholders may replace different texts, so never treat them as equal. */
export function isWithheld(text: string): boolean {
  return text.startsWith(START);
}
