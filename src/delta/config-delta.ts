/** Compares two versions of an experiment file: equal, knobs, structural, or unparsable. */

import type {
  Bucket,
  CodeStatement,
  Delta,
  ExperimentFile,
  FileReading,
  KnobChange,
  Setting,
  SourceValue,
  ValueEntry,
} from '../domain/launch/change-facts.ts';
import { cutText } from '../domain/values.ts';

/** A bucket and its names. A name is a path segment (`learning_rate`), or with `*` the start or end of one (`eval_*`, `*_weights`). */
type BucketRow = { readonly bucket: Bucket; readonly names: readonly string[] };

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Defaults for configs in Levanter's style (policy DF-35). */
const BUCKETS: readonly BucketRow[] = [
  {
    bucket: 'optimizer',
    names: words(`learning_rate lr peak_lr max_lr min_lr* lr_* *_lr lr_schedule schedule decay weight_decay wd warmup
      warmup_* *_warmup cooldown stable rewarmup momentum beta beta1 beta2 betas eps epsilon adam* muon* lion* sgd*
      optimizer* optim opt z_loss* max_grad_norm grad_clip* clip_* gradient_accumulation* ema* batch_size
      train_batch_size *_batch_size num_train_steps num_steps steps total_steps max_steps label_smoothing`),
  },
  {
    bucket: 'datamix',
    names: words(`tokenized data dataset datasets data_* dataset_* *_data *_dataset *_datasets datamix mixture mixture_*
      *_mixture mix *_mix *_weights weights components corpus source sources tokenizer* shuffle* shard split splits
      epochs *_epochs load block_size train_urls`),
  },
  {
    bucket: 'system',
    names: words(`resources with_tpu with_gpu with_cpu tpu* gpu* *_tpu *_gpu accelerator* num_cpus num_gpus num_tpus cpu
      memory ram regions zone cluster slice* node_count replicas mesh axes *_axes *_axis sharding fsdp* remat*
      gradient_checkpointing cross_entropy_block_size *_block_size flash_attention* checkpoint* *_checkpoint
      checkpointer save_interval steps_per_export *_export hf_save* num_workers prefetch* loader* *_loader
      log_level logging* seed *_seed mp precision compute_dtype param_dtype env_vars pip_packages priority
      per_device_* allow_partial_checkpoint jax_* xla_*`),
  },
  {
    bucket: 'observability',
    names:
      words(`tracker* wandb* tags profiler* profile* watch* metrics* *_metrics histogram* eval* *_eval steps_per_eval
      *_evals use_default_validation validation* *_validation log_* telemetry* trace* tracing*`),
  },
  {
    bucket: 'architecture',
    names: words(`model model_config *_model model_* hidden_dim hidden_* num_layers *_layers num_heads *_heads head_dim
      num_kv_heads intermediate_dim mlp_* seq_len max_seq_len *_seq_len vocab_size rope* activation* tie_word_embeddings
      layer_norm* norm* dropout *_dropout attention* attn_* embedding* initializer* init_* num_experts *_experts moe_*
      *flops*`),
  },
];

/** The bucket of the innermost known name in the path; null if none is known. */
export function findBucket(path: string): Bucket | null {
  for (const segment of listSegmentsInsideOut(path))
    for (const row of BUCKETS) if (row.names.some((name) => matchesName(segment, name))) return row.bucket;
  return null;
}

function listSegmentsInsideOut(path: string): readonly string[] {
  return path
    .split(/[.()[\]"'#\s]+/)
    .map((segment) => segment.toLowerCase().replaceAll('-', '_').replace(/^_+/, ''))
    .filter((segment) => /[a-z]/.test(segment))
    .reverse();
}

function matchesName(segment: string, name: string): boolean {
  const core = name.replaceAll('*', '');
  if (name.startsWith('*') && name.endsWith('*')) return segment.includes(core);
  if (name.startsWith('*')) return segment.endsWith(core);
  return name.endsWith('*') ? segment.startsWith(core) : segment === name;
}

/** A changed, added (`base` null) or removed (`head` null) setting. `line` is in the head. */
type Change = {
  readonly path: string;
  readonly knob: string;
  readonly base: SourceValue | null;
  readonly head: SourceValue | null;
  readonly line: number;
};

/** `moved`: a setting crossed an expansion, so a different value wins. */
type SettingsDiff =
  | { readonly kind: 'changed'; readonly changes: readonly Change[] }
  | { readonly kind: 'moved'; readonly start: number };

/** In the head's order; removed settings come first in their container. */
function diffSettings(base: ExperimentFile, head: ExperimentFile): SettingsDiff {
  const old = new Map(base.settings.map((setting) => [settingId(setting), setting]));
  const now = new Set(head.settings.map(settingId));
  const changes: Change[] = [];
  for (const setting of base.settings)
    if (!now.has(settingId(setting))) changes.push(removedChange(setting, head.containerLines[setting.place] ?? 1));
  for (const setting of head.settings) {
    const before = old.get(settingId(setting));
    if (before === undefined) changes.push(addedChange(setting));
    else if (before.side !== setting.side) return { kind: 'moved', start: setting.start };
    else changes.push(...diffValues(before, setting, setting));
  }
  return { kind: 'changed', changes: changes.toSorted((left, right) => left.line - right.line) };
}

function settingId({ place, key }: Setting): string {
  return `${place} ${key}`;
}

type Named = { readonly path: string; readonly knob: string };

function removedChange(value: SourceValue & Named, line: number): Change {
  return { path: value.path, knob: value.knob, base: value, head: null, line };
}

function addedChange(value: SourceValue & Named): Change {
  return { path: value.path, knob: value.knob, base: null, head: value, line: value.line };
}

/** Compares mappings by entry, and lists as a whole unless only mappings in them differ. */
function diffValues(base: SourceValue, head: SourceValue, { path, knob }: Named): readonly Change[] {
  if (base.same === head.same) return [];
  if (!isComparedByEntry(base, head)) return [{ path, knob, base, head, line: head.line }];
  const name = (entry: ValueEntry): ValueEntry & Named => ({ ...entry, ...nameOfEntry(entry, { path, knob }) });
  const old = new Map(base.entries?.map((entry) => [entry.key, entry]));
  const now = new Set(head.entries?.map(({ key }) => key));
  return [
    ...(base.entries ?? []).filter(({ key }) => !now.has(key)).map((entry) => removedChange(name(entry), head.line)),
    ...(head.entries ?? []).flatMap((entry) => {
      const before = old.get(entry.key);
      return before === undefined ? [addedChange(name(entry))] : diffValues(before, entry, name(entry));
    }),
  ];
}

/** The path and knob of an entry inside a setting. */
function nameOfEntry({ segment, knob }: ValueEntry, whole: Named): Named {
  return { path: whole.path + segment, knob: knob ?? whole.knob + segment };
}

function isComparedByEntry(base: SourceValue, head: SourceValue): boolean {
  if (base.container !== head.container || base.entries === undefined || head.entries === undefined) return false;
  if (base.container === 'dict') return true;
  const { entries } = head;
  return (
    base.entries.length === entries.length &&
    base.entries.every((entry, at) => {
      const other = entries[at];
      return other !== undefined && (entry.same === other.same || isComparedByEntry(entry, other));
    })
  );
}

const STATEMENT_CHARS_MAX = 200;

/**
 * The delta from `base` to `head` (policy DF-18). Knobs require equal code, except for imports that a changed setting uses; each such
 * import is a row.
 */
export function diffConfigs(base: FileReading, head: FileReading): Delta {
  if (base.kind === 'unparsable') return { ...base, side: 'base' };
  if (head.kind === 'unparsable') return { ...head, side: 'head' };
  if (base.text === head.text) return { kind: 'none' };
  const added = listImportsOnlyIn(head, base);
  const removed = listImportsOnlyIn(base, head);
  const different = firstDifference(removeStatements(base.code, removed), removeStatements(head.code, added));
  if (different !== null) return structuralDelta(firstDifference(base.code, head.code) ?? different, base, head);
  const settings = diffSettings(base, head);
  if (settings.kind === 'moved')
    return structuralDelta({ side: 'head', statement: statementAt(head, settings.start) }, base, head);
  const old = settings.changes.flatMap((change) => change.base ?? []);
  const now = settings.changes.flatMap((change) => change.head ?? []);
  const idle =
    added.find((one) => !isOnlyUsedByChanges(one, now, head) || mentionsImport(base, one)) ??
    removed.find((one) => !isOnlyUsedByChanges(one, old, base) || mentionsImport(head, one));
  if (idle !== undefined)
    return structuralDelta({ side: added.includes(idle) ? 'head' : 'base', statement: idle }, base, head);
  const rows = [
    ...added.map((one) => importChange(one, 'after')),
    ...removed.map((one) => importChange(one, 'before')),
    ...settings.changes.map(toKnobChange),
  ];
  if (rows.length === 0) return { kind: 'none' };
  const isPutBack = added.length + removed.length === 0 && isOnlyTheseChanges(settings.changes, base, head);
  return { kind: 'knobs', changes: rows, ...(isPutBack ? {} : { leavesMore: true }) };
}

type Import = CodeStatement & { readonly imports: NonNullable<CodeStatement['imports']> };

function listImportsOnlyIn(file: ExperimentFile, other: ExperimentFile): readonly Import[] {
  const known = new Set(other.code.map(({ same }) => same));
  return file.code.filter((one): one is Import => one.imports !== undefined && !known.has(one.same));
}

function removeStatements(code: readonly CodeStatement[], some: readonly CodeStatement[]): readonly CodeStatement[] {
  const left = new Set(some);
  return code.filter((one) => !left.has(one));
}

/** Whether only changed values use the imported name, and nothing else binds it. */
function isOnlyUsedByChanges({ imports: { name } }: Import, changed: readonly object[], file: ExperimentFile): boolean {
  const users = file.settings.filter(({ names }) => names?.includes(name));
  const bindings = file.code.filter(({ imports }) => imports?.name === name);
  const isChanged = users.every((user) => changed.includes(user));
  return users.length > 0 && isChanged && bindings.length === 1 && !file.names.includes(name);
}

/** The name has a meaning without the import, such as a builtin. */
function mentionsImport({ settings, names, code }: ExperimentFile, { imports: { name } }: Import): boolean {
  return (
    names.includes(name) ||
    settings.some((setting) => setting.names?.includes(name)) ||
    code.some(({ imports }) => imports?.name === name)
  );
}

function importChange({ imports: { name, text }, line }: Import, side: 'before' | 'after'): KnobChange {
  return { knob: `import ${name}`, path: text, before: null, after: null, [side]: text, bucket: null, line };
}

function toKnobChange({ base, head, path, knob, line }: Change): KnobChange {
  const texts = { before: base?.text ?? null, after: head?.text ?? null };
  return { knob, path, ...texts, bucket: findBucket(path), line };
}

/** Whether the head with the old values equals the base byte for byte. */
function isOnlyTheseChanges(changes: readonly Change[], base: ExperimentFile, head: ExperimentFile): boolean {
  let text = '';
  let from = 0;
  for (const change of changes.toSorted((a, b) => (a.head?.start ?? 0) - (b.head?.start ?? 0))) {
    if (change.base === null || change.head === null) return false;
    text += head.text.slice(from, change.head.start) + base.text.slice(change.base.start, change.base.end);
    from = change.head.end;
  }
  return text + head.text.slice(from) === base.text;
}

type Place = { readonly side: 'base' | 'head'; readonly statement: CodeStatement | undefined };

/** The first statement that only one side has, or else the first one that moved. */
function firstDifference(base: readonly CodeStatement[], head: readonly CodeStatement[]): Place | null {
  const at = head.findIndex(({ same }, index) => same !== base[index]?.same);
  if (at === -1) return base.length === head.length ? null : { side: 'base', statement: base[head.length] };
  const left = new Set(base.slice(at).map(({ same }) => same));
  const isNew = !left.has(head[at]?.same ?? '');
  const right = new Set(head.slice(at).map(({ same }) => same));
  const isGone = base[at] !== undefined && !right.has(base[at].same);
  return !isNew && isGone ? { side: 'base', statement: base[at] } : { side: 'head', statement: head[at] };
}

function statementAt({ code }: ExperimentFile, offset: number): CodeStatement | undefined {
  return code.findLast(({ start }) => start <= offset);
}

function structuralDelta({ side, statement }: Place, base: ExperimentFile, head: ExperimentFile): Delta {
  const { text } = side === 'base' ? base : head;
  const source = statement === undefined ? '' : text.slice(statement.start, statement.end).trim();
  const [first = ''] = source.split('\n');
  return {
    kind: 'structural',
    side,
    line: statement?.line ?? 1,
    statement: cutText(first.trimEnd(), STATEMENT_CHARS_MAX),
  };
}

/** One knob. `value` is source text, `start` and `end` are offsets, `line` is 1-based. */
export type Knob = {
  readonly knob: string;
  readonly path: string;
  readonly value: string;
  readonly bucket: Bucket | null;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly isString: boolean;
};

/** The innermost settings in file order. */
export function readKnobs({ settings }: ExperimentFile): readonly Knob[] {
  return settings
    .flatMap((setting) => listLeafValues(setting, setting))
    .map(({ path, knob, text, start, end, line, isString }) => ({
      ...{ knob, path, value: text, bucket: findBucket(path), start, end, line },
      isString: isString === true,
    }))
    .toSorted((left, right) => left.start - right.start);
}

/** The value at a path: a setting, or a part of one. */
export function valueAt({ settings }: ExperimentFile, path: string): SourceValue | null {
  const find = (value: SourceValue, named: Named): SourceValue | null => {
    if (named.path === path) return value;
    for (const entry of path.startsWith(named.path) ? (value.entries ?? []) : []) {
      const found = find(entry, nameOfEntry(entry, named));
      if (found !== null) return found;
    }
    return null;
  };
  for (const setting of settings) {
    const found = find(setting, setting);
    if (found !== null) return found;
  }
  return null;
}

function listLeafValues(value: SourceValue, { path, knob }: Named): readonly (SourceValue & Named)[] {
  if (value.entries === undefined || value.entries.length === 0) return [{ ...value, path, knob }];
  return value.entries
    .filter((entry) => value.container === 'dict' || entry.entries !== undefined)
    .flatMap((entry) => listLeafValues(entry, nameOfEntry(entry, { path, knob })));
}
