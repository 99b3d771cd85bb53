/** Assigns a knob to one of the policy's five kinds of change, by its path. */

import type { Bucket } from '../domain/launch/change-facts.ts';

/** A bucket and its names. A name is a path segment (`learning_rate`), or with `*` the start or end of one (`eval_*`, `*_weights`). */
export type BucketRow = { readonly bucket: Bucket; readonly names: readonly string[] };

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Defaults for configs in Levanter's style (policy DF-35); a lab's own rows take precedence. */
export const DEFAULT_BUCKETS: readonly BucketRow[] = [
  {
    bucket: 'optimizer',
    names:
      words(`learning_rate lr peak_lr max_lr min_lr* lr_* *_lr lr_schedule schedule decay weight_decay wd warmup
      warmup_* *_warmup cooldown stable rewarmup momentum beta beta1 beta2 betas eps epsilon adam* muon* lion* sgd*
      optimizer* optim opt z_loss* max_grad_norm grad_clip* clip_* gradient_accumulation* ema* batch_size
      train_batch_size *_batch_size num_train_steps num_steps steps total_steps max_steps label_smoothing`),
  },
  {
    bucket: 'datamix',
    names:
      words(`tokenized data dataset datasets data_* dataset_* *_data *_dataset *_datasets datamix mixture mixture_*
      *_mixture mix *_mix *_weights weights components corpus source sources tokenizer* shuffle* shard split splits
      epochs *_epochs load block_size train_urls`),
  },
  {
    bucket: 'system',
    names:
      words(`resources with_tpu with_gpu with_cpu tpu* gpu* *_tpu *_gpu accelerator* num_cpus num_gpus num_tpus cpu
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
    names:
      words(`model model_config *_model model_* hidden_dim hidden_* num_layers *_layers num_heads *_heads head_dim
      num_kv_heads intermediate_dim mlp_* seq_len max_seq_len *_seq_len vocab_size rope* activation* tie_word_embeddings
      layer_norm* norm* dropout *_dropout attention* attn_* embedding* initializer* init_* num_experts *_experts moe_*
      *flops*`),
  },
];

/** The bucket of the innermost known name in the path; null if none is known. */
export function bucketOf(path: string, table: readonly BucketRow[] = DEFAULT_BUCKETS): Bucket | null {
  for (const segment of segmentsInsideOut(path))
    for (const row of table) if (row.names.some((name) => matches(segment, name))) return row.bucket;
  return null;
}

function segmentsInsideOut(path: string): readonly string[] {
  return path
    .split(/[.()[\]"'#\s]+/)
    .map((segment) => segment.toLowerCase().replace(/^_+/, ''))
    .filter((segment) => /[a-z]/.test(segment))
    .reverse();
}

function matches(segment: string, name: string): boolean {
  const core = name.replaceAll('*', '');
  if (name.startsWith('*') && name.endsWith('*')) return segment.includes(core);
  if (name.startsWith('*')) return segment.endsWith(core);
  return name.endsWith('*') ? segment.startsWith(core) : segment === name;
}
