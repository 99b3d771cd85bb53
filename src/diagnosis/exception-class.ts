/** Classifies a Python exception by its type, its message, and the files in its traceback. */

import leven from 'leven';
import { type Confidence, type FailureClass, FIRST_RESPONSE } from '../domain/failure-class.ts';
import type { Row } from './row.ts';
import { classFromTypeName, findRow } from './rows.ts';
import type { Frame, Raised, Traceback } from './traceback.ts';

export type TracebackJudgement = {
  readonly class: FailureClass;
  readonly weight: Row['weight'];
  readonly confidence: Confidence;
  /** The exception in the chain that explains the failure, with the frame to inspect. */
  readonly exception: Raised;
};

/** Null if the traceback is no failure itself: an interrupt, an exit, or a launcher's summary of other failures. */
export function judgeTraceback({ chain, isIgnored }: Traceback): TracebackJudgement | null {
  if (isIgnored || chain[0].frames.some(({ file, name }) => file.endsWith(CLEAN_UP) && name === '_run_finalizers'))
    return null;
  const judged = chain.flatMap((raised, index) => {
    const one = judgeRaised(raised);
    // A worker's exception follows that of the process which waited for it; inspect the worker's.
    const inner = /^Caught \w{1,60} in \w/.test(raised.message) ? chain[index + 1] : undefined;
    return one === null ? [] : { ...one, exception: inner ?? raised };
  });
  // The exception raised first is the root. A later one wins if only it has a class more specific than a code error.
  return (
    judged.find(({ class: kind }) => !GENERAL.includes(kind)) ??
    judged.find(({ class: kind }) => kind !== 'unknown') ??
    judged[0] ??
    null
  );
}

/** Prints the failure of a clean-up at the exit and goes on; on NFS a temporary folder often stays busy. */
const CLEAN_UP = '/multiprocessing/util.py';
const GENERAL: readonly FailureClass[] = ['code-other', 'code-small', 'unknown'];

/** Where to inspect the exception: the innermost frame in the lab's own code, otherwise the innermost frame. */
export function raisingFrame({ frames }: Raised): Frame | null {
  return frames.findLast(isLabFile) ?? frames.at(-1) ?? null;
}

/** Whether the exception ends the lab's main program, rather than a thread or cleanup code. */
export const isTopLevelScript = ({ frames: [one] }: Raised) => one?.name === '<module>' && isLabFile(one);

function judgeRaised(raised: Raised): TracebackJudgement | null {
  const type = shortTypeName(raised.type);
  // An interrupt during an import is re-raised as another exception.
  if (NO_FAILURES.test(type) || raised.message.startsWith('KeyboardInterrupt')) return null;
  const said = `${raised.type}: ${raised.message}`;
  const row = findRow(said) ?? findRow(raised.message);
  const isOfSetting = row?.class === 'config' && row.confidence === 'low';
  const isSaid =
    row !== null &&
    row.class !== 'code-other' &&
    !(row.class === 'data' && IS_CODE.test(type)) &&
    // While data is being loaded, a message that resembles a setting error is about the data.
    !(isOfSetting && isInDataLoading(raised.frames));
  if (isSaid) return { class: row.class, weight: row.weight, confidence: row.confidence, exception: raised };
  if (WRAPPERS.test(type)) return null;
  const found = classifyByMoreLines(type, raised) ?? classifyByType(type, raised);
  return { ...found, weight: 'cause', exception: raised };
}

/** The type name without its module and without Ray's suffix for the wrapped type. */
function shortTypeName(type: string): string {
  const [plain = ''] = type.split('(');
  return plain.slice(plain.lastIndexOf('.') + 1);
}

/** If the type is too general, the lines after the message may determine the class. */
function classifyByMoreLines(type: string, { more }: Raised): ClassGuess | null {
  if (IS_CODE.test(type)) return null;
  const row = more.split('\n').flatMap((line) => findRow(line) ?? [])[0];
  // The lines may come from another process, so they must not lead to a retry.
  return row?.weight === 'cause' && FIRST_RESPONSE[row.class] !== 'retry-bounded'
    ? { class: row.class, confidence: row.confidence }
    : null;
}

type ClassGuess = { readonly class: FailureClass; readonly confidence: Confidence };

function classifyByType(type: string, raised: Raised): ClassGuess {
  if (type === 'KeyError' && raised.frames.some(({ file }) => /(?:^|\/)os\.py$|^<frozen os>$/.test(file)))
    return { class: 'config', confidence: 'high' };
  if (isMissingPackage(type, raised) || isVersionMismatch(type, raised))
    return { class: 'dependency', confidence: 'high' };
  if (isAtImport(raised)) return { class: 'dependency', confidence: 'medium' };
  // A call with wrong arguments is a code or config error, never bad data.
  if (type === 'TypeError' && MISCALL.test(raised.message))
    return isConfigCode(raised.frames) || CONFIG_CALLED.test(raised.message)
      ? { class: 'config', confidence: 'medium' }
      : { class: isSmallMistake(type, raised) ? 'code-small' : 'code-other', confidence: 'high' };
  // An entry missing from a checkpoint is no typo; it belongs to the run that wrote the checkpoint.
  if (!IS_CODE.test(type) && isCheckpointError(raised)) return { class: 'storage', confidence: 'medium' };
  if (IS_CODE.test(type))
    return { class: isSmallMistake(type, raised) ? 'code-small' : 'code-other', confidence: 'high' };
  if (isInDataLoading(raised.frames)) return { class: 'data', confidence: 'medium' };
  if (type === 'KeyError')
    return isSmallMistake(type, raised)
      ? { class: 'code-small', confidence: 'medium' }
      : { class: 'code-other', confidence: 'medium' };
  if (type === 'FileNotFoundError' || type === 'NotADirectoryError' || type === 'IsADirectoryError')
    return classifyMissingFile(raised.message);
  if (/^(?:ValueError|AssertionError|TypeError|KeyError)$/.test(type) && isConfigCode(raised.frames))
    return { class: 'config', confidence: 'medium' };
  if (REFUSALS.test(type) && raised.message !== '' && isRaisedOnPurpose(raised.frames))
    return { class: 'config', confidence: 'low' };
  if (isProgramError(type, raised)) return { class: 'code-other', confidence: 'medium' };
  return { class: classFromTypeName(type) ?? 'unknown', confidence: 'low' };
}

/** Whether a module outside the lab's code is missing, or an installed package lacks a name. */
function isMissingPackage(type: string, { message, frames }: Raised): boolean {
  if (type === 'ModuleNotFoundError') {
    const top = /No module named '?([A-Za-z_]\w{0,80})/.exec(message)?.[1];
    if (top === undefined) return true;
    // The package exists and lacks a submodule. Third-party packages do not have such generic names.
    if (message.includes(`${top}.`) && OWN_PACKAGES.test(top)) return false;
    return !frames.filter(isLabFile).some(({ file }) => isInFolder(file, top));
  }
  if (type !== 'ImportError' || isMisspelt(message)) return false;
  const from = /\((\/[^)]{1,400})\)(?:\. Did you mean: .{0,100})?$/.exec(message.trimEnd())?.[1];
  if (from !== undefined) return LIBRARY.test(from);
  const last = frames.at(-1);
  return last !== undefined && LIBRARY.test(last.file);
}

/** Whether a package uses an attribute that another one lacks, so their versions do not match. */
function isVersionMismatch(type: string, { message, frames }: Raised): boolean {
  const last = frames.at(-1);
  return (
    type === 'AttributeError' &&
    last !== undefined &&
    LIBRARY.test(last.file) &&
    /^(?:partially initialized )?module '[\w.]{1,120}' has no attribute/.test(message)
  );
}

/** Whether a package fails while the lab's code imports it, because it does not match the installed environment. */
function isAtImport({ frames }: Raised): boolean {
  const last = frames.at(-1);
  const own = frames.findLast(isLabFile);
  return last !== undefined && own?.isImport === true && /(?:site|dist)-packages\//.test(last.file);
}

/** Whether the program itself caused the exception, rather than passing on an outside failure. */
function isProgramError(type: string, raised: Raised): boolean {
  const said = `${raised.type}: ${raised.message}`;
  const last = raised.frames.at(-1);
  if (type === 'RuntimeError' && STATUS.test(raised.message)) return false;
  if (PROGRAM_TYPES.test(type) || findRow(said)?.class === 'code-other') return true;
  if (last === undefined) return false;
  // An exception named after a package was raised in it, even if the traceback omits its frames.
  if (isLabFile(last)) return (!last.isRaise && !raised.type.includes('.')) || isInModule(raised.type, last);
  return (
    COMPUTING_LIBRARY.test(last.file) ||
    (REFUSALS.test(type) && TRAINING_LIBRARY.test(last.file)) ||
    (/^(?:Runtime|Value)Error$/.test(type) && STANDARD_LIBRARY.test(last.file))
  );
}

/** Whether the raising file also defines the exception class, so it checks its own state. */
function isInModule(type: string, { file }: Frame): boolean {
  const module = type.slice(0, Math.max(0, type.lastIndexOf('.'))).replaceAll('.', '/');
  return module.includes('/') && file.endsWith(`/${module}.py`);
}

/** Whether a folder on the file's path has this name. The file's own name is no evidence: an existing module is never missing. */
function isInFolder(file: string, folder: string): boolean {
  return file.split('/').slice(0, -1).includes(folder);
}

/**
 * A mistake that the interpreter names, in exactly one of the lab's files and not in data loading (monitoring policy: never where a trace
 * goes through several files).
 */
function isSmallMistake(type: string, { frames, message }: Raised): boolean {
  // Frames that only import another file do not count.
  const own = frames.filter((one, index) => isLabFile(one) && (!one.isImport || index === frames.length - 1));
  const files = new Set(own.map(({ file }) => file));
  // An error raised inside a library cannot be fixed at the call site.
  const last = frames.findLast(({ file }) => !/^<frozen importlib/.test(file));
  const isNamed = type !== 'KeyError' || isWrittenInSource(message, last);
  const isAtOwn = last !== undefined && isLabFile(last);
  const isSlip = SMALL.test(type) || (/^(?:Attribute|Type)Error$/.test(type) && isMisspelt(message));
  return isSlip && isNamed && isAtOwn && files.size === 1 && !isInDataLoading(frames);
}

/** Whether the suggested name is nearly the same; a distant one may come from another version. */
function isMisspelt(message: string): boolean {
  const [, written = '', meant = ''] = SUGGESTED.exec(message) ?? [];
  return written !== '' && leven(written, meant) <= SLIP_LETTERS_MAX;
}

/** Whether the key is a literal in the statement (a typo) rather than a value that was passed in. */
function isWrittenInSource(message: string, last: Frame | undefined): boolean {
  const key = /^['"]([\w./-]{1,60})['"]$/.exec(message.trim())?.[1];
  const shown = last?.statement ?? '';
  const isShown = shown.includes(`'${key}'`) || shown.includes(`"${key}"`);
  return key !== undefined && (isShown || !/\w\[[A-Za-z_]/.test(shown));
}

function classifyMissingFile(message: string): ClassGuess {
  if (/ckpt|checkpoint|step[-_]\d/i.test(message)) return { class: 'storage', confidence: 'medium' };
  return { class: 'config', confidence: 'medium' };
}

function isLabFile({ file }: Pick<Frame, 'file'>): boolean {
  return !LIBRARY.test(file);
}

function isInDataLoading(frames: readonly Frame[]): boolean {
  return frames.some(({ file, name }) =>
    isLabFile({ file })
      ? DATA_FILE.test(file.split('/').slice(-2).join('/')) || DATA_FUNCTION.test(name)
      : DATA_LIBRARY.test(file),
  );
}

/** Whether the exception comes from reading a checkpoint. Only one without its own message may come from a few frames deeper. */
function isCheckpointError({ type, message, frames }: Raised): boolean {
  // A message about the program holds wherever it was raised.
  if (findRow(`${type}: ${message}`)?.class === 'code-other') return false;
  const isWordless = /^(?:KeyError|AssertionError|IndexError)$/.test(type);
  return (
    (isWordless && frames.at(-1)?.isRestore === true) ||
    frames.slice(isWordless ? -CHECKPOINT_FRAMES : -1).some(({ name }) => RESTORING.test(name))
  );
}

/** Whether a training library rejects its settings, or the model for those settings, before training starts. */
function isRaisedOnPurpose(frames: readonly Frame[]): boolean {
  const last = frames.at(-1);
  return (
    last !== undefined &&
    TRAINING_LIBRARY.test(last.file) &&
    (/(?:dataclasses|plugins?|launch(?:er)?|cli|opts?)\.py$|\/commands\//.test(last.file) ||
      /^(?:_{0,2}(?:post_)?init_{0,2}$|from_pretrained|_?(?:check|verify|setup|configure|prepare|parse|build|get|create|select|resolve|set|select|init)_)/.test(
        last.name,
      ))
  );
}

function isConfigCode(frames: readonly Frame[]): boolean {
  const last = frames.at(-1);
  return (
    last !== undefined &&
    (/config|argument|_args|settings|hparams/i.test(last.file.split('/').at(-1) ?? '') ||
      /config|valid(?!at(?:e|ion)(?:_(?:epoch|step|batch|loop|model))?$)|arguments/i.test(last.name))
  );
}

const LIBRARY =
  /(?:site|dist)-packages\/|\/lib\/python\d|^<|\/usr\/lib\/|\/python\d\.\d{1,2}\/|(?:^|\/)\.venv\/|conda[\w.]{0,20}\/lib\/|\.pyx$/;
const DATA_FILE =
  /(?:^|[/_])(?:data|dataset|datasets|dataloader|dataloaders|data_loader|data_loading|loader|loaders|tokenizer|tokenize|tokenization|collator|collate|shards?|corpus|prefetch|sampler|batching)(?:[/_.]|$)/i;
const DATA_FUNCTION =
  /^(?:__getitem__|collate\w{0,40}|_?(?:load|read|fetch|next|get)_(?:batch|sample|example|shard|data|record)s?|tokenize\w{0,40}|decode_\w{0,40})$/;
const DATA_LIBRARY =
  /(?:torch\/utils\/data|\/datasets|\/webdataset|\/streaming|\/grain|\/pyarrow|\/seqio|tensorflow_datasets)\//;
/** Training libraries raise exceptions about their input. The table covers messages they print about other components. */
const TRAINING_LIBRARY =
  /\/(?:transformers|accelerate|deepspeed|lightning|lightning_fabric|pytorch_lightning|trl|peft|megatron|nemo|fairseq|metaseq|composer|llmfoundry|colossalai|axolotl|llamafactory|torchtune|torchtitan|MaxText|maxtext|t5x|paxml|praxis|levanter|haliax|mmengine|xtuner|swift|verl|openrlhf|diffusers|sentence_transformers|keras|detectron2|timm)\//;
/** The interpreter's messages about arguments. */
const MISCALL =
  /got an unexpected keyword argument|missing \d{1,2} required (?:positional|keyword-only) argument|positional arguments? but \d|got multiple values for/;
/** A runtime below the program reports an unexpected status. */
const STATUS = /^(?:Bad StatusOr access: )?(?:INTERNAL|UNKNOWN|UNAVAILABLE|ABORTED|CANCELLED|DEADLINE_EXCEEDED)\b/;
const CONFIG_CALLED = /^\w{0,60}(?:Config|Args|Arguments|Settings|Options)(?:\.__init__)?\(\)/;
const REFUSALS = /^(?:ValueError|RuntimeError|AssertionError|KeyError|NotImplementedError|Exception)$/;
const RESTORING =
  /(?:load|save|read|write|restore|resume|find|check)_\w{0,20}(?:checkpoint|ckpt|state)|^_?(?:restore|resume)(?:_\w{1,40})?$/;
const CHECKPOINT_FRAMES = 3;
const PROGRAM_TYPES =
  /^(?:TypeError|IndexError|ZeroDivisionError|RecursionError|AssertionError|NotImplementedError|OverflowError|PanicException|PicklingError|OutOfResources)$/;
const STANDARD_LIBRARY = /\/lib\/python\d(?:\.\d{1,2})?\/(?!(?:site|dist)-packages\/)/;
const COMPUTING_LIBRARY =
  /\/(?:torch\/(?:nn|_dynamo|_inductor|_functorch|autograd|optim|fx|(?:cuda\/)?amp|_ops|_tensor|functional)|jax|jaxlib|flax|haliax|equinox|optax|numpy|einops|triton|transformers\/models|jaxtyping|chex|transformer_engine|flash_attn|xformers|apex|tensordict|torch_geometric|dgl|scipy|sklearn|torchvision\/(?:models|ops))(?:\/|\.py$)/;
/** Programming mistakes. Other exception types may have causes outside the code. */
const IS_CODE =
  /^(?:NameError|UnboundLocalError|ImportError|ModuleNotFoundError|SyntaxError|IndentationError|TabError|AttributeError)$/;
const SMALL = /^(?:NameError|ImportError|ModuleNotFoundError|SyntaxError|IndentationError|TabError|KeyError)$/;
const SUGGESTED =
  /(?:has no attribute|cannot import name|unexpected keyword argument) '(\w{1,80})'.{0,400}\. Did you mean:? '(\w{1,80})'\?$/;
/** The most letters in which a typo differs. */
const SLIP_LETTERS_MAX = 2;
/** Folder names that labs use for their own code and that no published package uses. */
const OWN_PACKAGES =
  /^(?:experiments?|src|scripts?|utils?|lib|tools|train|training|lab|common|core|projects?|recipes|modules)$/;
const NO_FAILURES = /^(?:KeyboardInterrupt|SystemExit|GeneratorExit|CancelledError|StopIteration|StopAsyncIteration)$/;
/** These wrappers report that another process failed, and repeat its message. */
export const WRAPPERS =
  /^(?:ChildFailedError|CalledProcessError|RayTaskError|ProcessExitedException|ProcessRaisedException|TrainingFailedError|JobFailedError|TuneError|SignalException|SubprocessError|BrokenProcessPool|DistBackendError|ExecutorStepFailure)$/;
