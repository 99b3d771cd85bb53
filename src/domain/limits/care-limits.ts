/** The bounds of changing the cluster (machines and disks), a part of `limits`, and why each is what it is. */

export const careLimits = {
  /** A consent to change a cluster is used within an hour of when it was written, or given again (docs/decisions/0014-consent-as-a-type.md). */
  consentLifetimeMs: 60 * 60 * 1_000,
  /** The time over which a config's own consents are counted. */
  preApprovalPeriodMs: 24 * 60 * 60 * 1_000,
  /** One list of machines; gcloud itself takes some seconds to start. */
  cloudReadTimeoutMs: 2 * 60 * 1_000,
  /** A deletion of a TPU VM is waited for by gcloud: minutes. */
  cloudDeleteTimeoutMs: 15 * 60 * 1_000,
  /** Machines of one zone: the largest labs have some hundreds. */
  cloudVmsMax: 2_000,
  /** From a deletion until the machine is out of the list; gcloud has waited for most of it. */
  cloudGoneWaitMs: 10 * 60 * 1_000,
  /** Between two looks at the machines while one is waited for. */
  cloudLookPeriodMs: 30_000,
  /** So long the machines are asked for again before a person is told that they cannot be listed. */
  badNodePatienceMs: 10 * 60 * 1_000,
  /** Proposals for one attempt: a consent that fell is asked for anew, and not for ever. */
  nodeProposalsMax: 3,
  /** An empty folder takes some kilobytes itself; downloads that went astray take gigabytes. */
  misplacedBytesMin: 1024 * 1024,
  /** One look at a worker over ssh: a first connection takes 20 s, du over a full boot disk a minute or two. */
  sshTimeoutMs: 180_000,
  /** A mount table has some dozen lines, du of a folder of temporary files some thousand. */
  remoteOutputBytesMax: 1024 * 1024,
  /** Workers that are asked over ssh at one time: a gcloud takes 100 MB and a second or two of a processor. */
  sshParallelMax: 8,
  /** Clearing 100 GB of large files takes seconds, of small ones minutes; `init-worker` pulls an image of some GB. */
  diskChangeTimeoutMs: 30 * 60 * 1_000,
  /** After `init-worker` the mount and Ray come back within minutes. */
  diskVerifyWaitMs: 10 * 60 * 1_000,
  /** Between two looks at a worker that comes back. */
  diskVerifyPeriodMs: 30_000,
  /** Workers that one scan asks; what each has is recorded in one entry of the logbook, below its bound. */
  inspectedWorkersMax: 400,
  /**
   * Looks at workers begin within this time, at three calls of some five seconds each 480 of them: with the scan before
   * and the last look behind it, the job ends within its own 60 minutes.
   */
  diskLooksTimeMs: 15 * 60 * 1_000,
  /** Scans in a row that say nothing before people are told: a tunnel or a head that restarts explains one. */
  unreadScansTold: 2,
  /** Hosts that one clean-up names, 4 kB each in its entry of the logbook: the largest slices have 256. */
  cleanHostsMax: 200,
  /** A job that said longer ago that a disk is full starts no scan any more: the daily schedule has looked since. */
  fullDiskNewsMs: 24 * 60 * 60 * 1_000,
  /** A scan asks every worker of a cluster over ssh, 32 at one time. */
  diskScanTimeoutMs: 30 * 60 * 1_000,
} as const;
