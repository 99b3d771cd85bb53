/** What is trained on: files, records, tokens. */

import { type Row, rows } from '../row.ts';

/** Messages of the Hugging Face datasets library, Arrow, WebDataset, Mosaic's streaming, PIL, and codecs. */
export const DATA_ROWS: readonly Row[] = [
  ...rows('cause', 'data', 'high', [
    // A file of records that is damaged, whoever stores it.
    /DATA_LOSS: .{0,80}\b(?:record|shard)s?\b|\bbuffer is smaller than requested size\b/,
    /pandas\.errors\.(?:ParserError|EmptyDataError)|Error tokenizing data|LZMAError|\b[Tt]oken id \d{1,12} (?:>|is (?:out|beyond|larger))|\b(?:dataset|corpus|split)\b.{0,100} (?:has|have|contains) 0 \w|libpng error|Premature end of JPEG|\bcv2\.error\b/,
    /Feature: \w{1,120} \(data type: \w{1,20}\) is required but could not be found|Can't parse serialized Example|Could not parse example input/,
    /datasets\.(?:exceptions|builder|data_files|table|arrow_dataset)[\w.]{0,60}Error|DatasetGenerationError|DataFilesNotFoundError|DatasetNotFoundError|NonMatchingSplitsSizesError|NonMatchingChecksumError|DatasetGenerationCastError|ExpectedMoreSplits/,
    /pyarrow\.lib\.Arrow(?:Invalid|IOError|TypeError|CapacityError|KeyError)|ArrowInvalid\b|Parquet magic bytes not found|Not a parquet file|Couldn't cast|Invalid parquet|Corrupt snappy|Unexpected end of stream/,
    /UnidentifiedImageError|image file is truncated|Truncated File Read|cannot identify image file|DecompressionBombError/,
    /^(?:[\w.]{0,120}\.)?(?:UnicodeDecodeError|JSONDecodeError|BadGzipFile|BadZipFile|zlib\.error|zstd(?:andard)?\.\w{0,20}Error|LZ4\w{0,20}Error)\b|Not a gzipped file|Error -3 while decompressing|\bzlib error -\d|\b[Ee]rror reading (?:a )?(?:sample|shard|record)\b|Compressed file ended before|EOFError: Compressed|invalid start byte|Expecting value: line|zstd decompress/,
    /webdataset.{0,80}(?:error|fail)|tarfile\.(?:ReadError|HeaderError|TruncatedHeaderError)|ReadError: (?:unexpected end|empty|bad checksum|not a gzip)|No samples found in dataset|No shards? found|shard .{0,100}(?:not found|missing|does not exist)/i,
    /Caught (?!\w{0,40}(?:Timeout|Connect)\w{0,40} in )(?!(?:MemoryError|OutOfMemoryError|NameError|ImportError|ModuleNotFoundError|AttributeError|OSError|PermissionError|ConnectionError|TimeoutError)\b)\w{1,60} in DataLoader worker process/,
    /(?:[Dd]ataset|[Dd]ata(?:loader| loader)?|train(?:ing)? (?:set|split)|[Cc]orpus) .{0,60}(?:is empty|has no (?:samples|examples|rows|data)|exhausted|ran out of (?:data|samples)|length (?:is )?0\b|contains no)/,
    /num_samples should be a positive integer value, but got num_samples=0|Sampler length .{0,40}0|Token id .{0,60}(?:out of|exceeds|larger|greater)|token(?:s| ids?)? .{0,60}(?:out of (?:range|vocab)|exceed(?:s)? .{0,30}vocab)|vocab(?:ulary)? size (?:mismatch|.{0,40}(?:does not match|smaller|less) )/i,
    /expected sequence of length|all input arrays must have the same shape|stack expects each tensor to be equal size|Unable to create tensor, you should probably activate truncation|Sizes of tensors must match except in dimension .{0,80}collate/,
  ]),
  ...rows('cause', 'data', 'medium', [
    /\b[Nn]o such shard\b|\bindex\.json not found|\b[Dd]ataset (?:was )?not found\b|\b[Ii]ndex file .{0,60}(?:format|corrupt)|\bempty batch\b/,
    /\b(?:rows?|records?|samples?|examples?)\b.{0,60}\b(?:has|have|with) no (?:field|column|key)|\b(?:missing|no) (?:field|column)s? .{0,60}\b(?:rows?|records?|samples?|shards?)\b/i,
    /IndexError: index out of range in self/,
    /each element in list of batch|(?:[Uu]nable|[Ff]ailed) to (?:read|load|open) (?:the )?(?:dataset|training data)\b|\bTarget -?\d{1,12} is out of bounds|more than 1 value per channel when training|\b[Ff]ound (?:0|no(?: valid)?) (?:files|images|samples|records)\b|\b[Cc]olumns? .{0,120}not in the dataset/,
    /'__key__'|\b[Ss]ample index .{0,60}(?:not present|out of range|exceeds)/,
    /^(?:[\w.]{0,120}\.)?(?!EndpointConnection|Connect|ConnectionError|ReadTimeout)\w{0,60}Error: (?!.{0,40}[Cc]ould not connect).{0,200}(?:\bshard[-_.]?\d|\.(?:mds|tfrecords?|parquet|arrow|jsonl)\b)/,
    /(?:[Cc]ould not|[Uu]nable to|[Cc]annot|[Ff]ailed to) find (?:any )?(?:data|dataset|train\w{0,10}|valid\w{0,10}|shard)s?\b(?! set)/,
    // A label or a token beyond what the model has, found by a kernel; what is raised of it comes later and elsewhere.
    /(?:Indexing|Loss|NLLLoss2d|Embedding|ScatterGatherKernel|IndexKernel)\w{0,20}\.cu:\d{1,6}.{0,200}Assertion `|Assertion `(?:srcIndex|t >= 0|idx_dim >= 0|index >= -sizes|target_val)/,
    /(?:corrupt(?:ed)?|truncated|malformed|damaged|invalid|bad) (?:data|record|sample|shard|example|batch|image|tar|file(?! descriptor)|row|token(?:s| id)?|index|parquet|jsonl?)\b/i,
    /(?:[Cc]hecksum|[Hh]ash|MD5|CRC) (?:mismatch|error|does not match|verification failed|failed).{0,100}(?:shard|data|record|token|file|chunk)|crc32c? .{0,30}mismatch|tfrecord.{0,60}(?:corrupt|truncat)|DataLossError: (?:corrupted|truncated) record|corrupted record at/i,
    /FileNotFoundError: .{0,200}(?:train|valid|test|data|shard|tokeniz|corpus|\.jsonl|\.parquet|\.arrow|\.bin\b|\.idx|\.tar|\.npy|\.zst)/,
  ]),
];
