/** The bounds of looking at checkpoints and deleting them, a part of `limits`, and why each is what it is. */

export const checkpointLimits = {
  /** `metadata.json` has three values; a file of another kind is told by its size alone. */
  checkpointMetadataBytesMax: 64 * 1024,
  /** Folders below one root: a hero run of a million steps with one every thousand has as many. */
  checkpointsPerRootMax: 5_000,
  /** One page of a listing: what GCS and S3 give at the most. */
  storePageObjects: 1_000,
  /** A page of a thousand objects with all that S3 says of each has less than 1 MB. */
  storeAnswerBytesMax: 8 * 1024 * 1024,
  /** A page is there within a second; a store that answers slowly is asked again at the next look. */
  storeTimeoutMs: 30_000,
  /** A store that says *too many requests* or *internal error* is asked so often. */
  storeTriesMax: 4,
  /** Pause before the second try, twice as long before each later one. */
  storeRetryMs: 500,
  /** Requests to a store at one time: far below what a bucket takes, and a thousand checkpoints are read in seconds. */
  storeParallelMax: 8,
  /** Images of one index: builders make two or three, and a registry is asked twice for each. */
  imagePlatformsMax: 12,
  /** A commit has 40 signs, and the address of its repository a hundred. */
  imageLabelCharsMax: 200,
  /** A token of gcloud lives an hour; it gives the same one again until shortly before. */
  storeTokenLifetimeMs: 5 * 60 * 1_000,
  /** Objects of one checkpoint: of 5 TB in chunks of 64 MB there are 80,000. */
  checkpointObjectsMax: 200_000,
  /** After a deletion a listing may show it for a moment still. */
  checkpointGoneWaitMs: 30_000,
  /** Between two such looks. */
  checkpointGonePeriodMs: 2_000,
  /** Checkpoints of one list that somebody consents to: each is listed and looked at again within the hour. */
  cleanupCheckpointsMax: 50,
  /** A list and its paths fit one comment, twice; more is listed after. */
  cleanupListCharactersMax: 20_000,
  /** The list as it is shown: a cut one would show nobody what goes. */
  checkpointListShownMax: 27_000,
  /** Checkpoints that stay and are named in the list, of the newest. */
  cleanupKeptShown: 60,
  /** Attempts that the card draws: more do not fit a phone. */
  lineageAttemptsShown: 8,
  /** A store's clock and ours differ by less, and the last file of a save is there so long after its job was seen to end. */
  lineageSlackMs: 60_000,
} as const;
