/** A rented instance of the simulated Vast.ai: its state, its costs, and its row in the API. */

import { type Offer, storageHourly } from './offers.ts';

export type ActualStatus =
  | 'created'
  | 'loading'
  | 'running'
  | 'stopped'
  | 'frozen'
  | 'exited'
  | 'rebooting'
  | 'unknown'
  | 'offline';

/** A started container. */
export type Container = {
  /** When it ends by itself, if that is planned; a real process reports its end only through `onEnd`. */
  readonly endsAtMs: number | null;
  /** As bytes: a program's output need not be text. */
  readonly log: () => Promise<Buffer>;
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL') => void;
  /** Ends it and deletes its files. */
  readonly remove: () => Promise<void>;
};

export type Charges = { gpu: number; storage: number; bandwidth: number };

export type Instance = {
  readonly id: number;
  readonly offer: Offer;
  readonly image: string;
  readonly disk: number;
  readonly env: readonly (readonly [string, string])[];
  readonly onstart: string | null;
  readonly args: readonly string[] | null;
  readonly runtype: string;
  readonly bid: number | null;
  /** This key can stop and destroy only this instance. */
  readonly apiKey: string;
  readonly jupyterToken: string;
  readonly createdAtMs: number;
  label: string | null;
  intended: 'running' | 'stopped';
  /** Null: still being provisioned. */
  actual: ActualStatus | null;
  message: string;
  /** The next automatic state change and its time. */
  next: { readonly atMs: number; readonly to: ActualStatus | 'gone' } | null;
  container: Container | null;
  utilisation: number | null;
  readonly traffic: { upGb: number; downGb: number };
  readonly charges: Charges;
  chargedToMs: number;
};

const MS_OF_HOUR = 3_600_000;

/** Charges everything up to a moment: storage since creation, the GPU while it is `running` or `frozen`. */
export function addCharges(instance: Instance, untilMs: number): void {
  const hours = (untilMs - instance.chargedToMs) / MS_OF_HOUR;
  if (hours <= 0) return;
  instance.chargedToMs = untilMs;
  instance.charges.storage += storageHourly(instance.offer, instance.disk) * hours;
  if (instance.actual === 'running' || instance.actual === 'frozen')
    instance.charges.gpu += hourlyPrice(instance) * hours;
}

/** Price of the machine itself, in dollars per hour. */
export function hourlyPrice({ bid, offer }: Instance): number {
  return bid ?? offer.dph_base;
}

/** Its total cost so far. */
export function sumCharges({ charges }: Instance): number {
  return charges.gpu + charges.storage + charges.bandwidth;
}

/** The row in the list, including secrets: the real one shows `extra_env` and `jupyter_token` too. */
export function shapeInstance(instance: Instance, nowMs: number): Record<string, unknown> {
  const { offer, disk } = instance;
  const storage = storageHourly(offer, disk);
  const isUp = instance.actual === 'running';
  return {
    id: instance.id,
    machine_id: offer.machine_id,
    host_id: offer.host_id,
    actual_status: instance.actual,
    cur_state: instance.intended === 'running' ? 'running' : 'stopped',
    next_state: instance.intended,
    intended_status: instance.intended,
    status_msg: instance.message,
    image_uuid: instance.image,
    image_args: instance.args,
    image_runtype: instance.runtype,
    label: instance.label,
    num_gpus: offer.num_gpus,
    gpu_name: offer.gpu_name,
    gpu_ram: offer.gpu_ram,
    gpu_util: isUp ? instance.utilisation : null,
    gpu_temp: isUp ? 61 : null,
    cpu_util: isUp ? 12 : null,
    cpu_ram: offer.cpu_ram,
    mem_usage: isUp ? 4.2 : null,
    mem_limit: offer.cpu_ram / 1_000,
    disk_space: disk,
    disk_usage: isUp ? 3.1 : -1,
    disk_util: -1,
    inet_up: 500,
    inet_down: 500,
    inet_up_billed: instance.traffic.upGb,
    inet_down_billed: instance.traffic.downGb,
    inet_up_cost: offer.inet_up_cost,
    inet_down_cost: offer.inet_down_cost,
    ssh_host: 'ssh.example',
    ssh_port: 20_000 + (instance.id % 10_000),
    public_ipaddr: '203.0.113.7',
    start_date: instance.createdAtMs / 1_000,
    end_date: null,
    uptime_mins: isUp ? (nowMs - instance.createdAtMs) / 60_000 : null,
    reliability2: offer.reliability2,
    dph_base: hourlyPrice(instance),
    dph_total: hourlyPrice(instance) + storage,
    storage_total_cost: storage,
    is_bid: instance.bid !== null,
    min_bid: offer.min_bid,
    template_id: null,
    template_hash_id: null,
    template_name: null,
    ports: {},
    extra_env: instance.env,
    onstart: instance.onstart,
    jupyter_token: instance.jupyterToken,
  };
}
