/**
 * Whether an export that a pointer names may be believed: that it comes after the last one, from the same writer or one that has
 * taken over, and is whole and as it was written. Each doubt is thrown, named by its fact.
 */
import { inTurns } from '../../kit/in-turns.ts';
import { LARGEST_EXPORT, type SeenExport } from '../contract.ts';
import { decode } from '../export/codec.ts';
import { type ExportDocument, readDocument } from '../export/document.ts';
import type { Keys } from '../export/keys.ts';
import type { Manifest, ManifestReference, Pointer } from '../export/manifest.ts';
import { exportedAt, manifestKey, manifestPlace } from '../export/names.ts';
import { type Expected, readManifest, sha256 } from '../export/records.ts';
import { LARGEST_RECORD, RecordIsUnreadable } from '../export/sealed.ts';
import type { ObjectStore } from '../store/store.ts';
import { ExportIsDoubtful, ExportIsMissing } from './found.ts';
import { type Outline, outlining } from './outline.ts';

export interface Verifying {
  readonly store: ObjectStore;
  readonly expected: Expected;
  readonly keys: Keys;
  /** What was believed last. */
  readonly last: SeenExport | undefined;
  readonly signal: AbortSignal;
  /** All is as it should be so far, and the export itself is read now. */
  readonly reads: () => void;
}

export interface VerifiedExport {
  readonly manifest: Manifest;
  readonly document: ExportDocument;
  readonly outline: Outline;
}

export async function verifiedExport(verifying: Verifying, pointer: Pointer): Promise<VerifiedExport> {
  const { newest } = pointer;
  if (newest === null) throw new ExportIsMissing(`cluster ${pointer.cluster} has not exported anything yet`);
  checkOrder(pointer, newest, verifying.last);
  const manifest = await manifestOf(verifying, newest);
  checkWriter(pointer, manifest);
  checkTime(verifying, manifest);
  await checkChain(verifying, manifest, newest);
  verifying.reads();
  const stored = await read(verifying, manifest.export.key, Math.min(manifest.export.bytes, LARGEST_EXPORT));
  const plain = await decode(stored, manifest, verifying.keys);
  return { manifest, ...(await wholeDocument(plain, manifest, verifying.signal)) };
}

function checkOrder({ epoch }: Pointer, { sequence }: ManifestReference, last: SeenExport | undefined): void {
  if (last?.epoch !== undefined && epoch < last.epoch)
    throw doubt('epochWentBack', `the pointer is of epoch ${epoch}, and the last one was of ${last.epoch}`);
  if (last?.sequence !== undefined && sequence < last.sequence)
    throw doubt('sequenceWentBack', `the pointer names export ${sequence}, and the last one was ${last.sequence}`);
}

async function manifestOf(verifying: Verifying, { key, sha256: expected }: ManifestReference): Promise<Manifest> {
  const body = await read(verifying, key, LARGEST_RECORD);
  if (sha256(body) !== expected)
    throw doubt('manifestIsTampered', `the manifest ${key} is not the one that the pointer names`);
  return readManifest(body, verifying.expected);
}

/** An epoch has one writer. A cluster that has taken over begins with what the one before has written. */
function checkWriter(pointer: Pointer, { epoch, clusterUid, sequence }: Manifest): void {
  const place = pointer.newest && manifestPlace(pointer.cluster, pointer.newest.key);
  if (place?.epoch !== epoch || place.sequence !== sequence)
    throw doubt('manifestIsTampered', `the manifest says that it is another one than its name does`);
  if (epoch === pointer.epoch && clusterUid !== pointer.clusterUid)
    throw doubt('writerIsForeign', `the pointer and its manifest are of two clusters in one epoch`);
}

/** An export of the original has nothing but its name that could be compared. */
function checkTime({ expected: { cluster }, last }: Verifying, manifest: Manifest): void {
  if (last === undefined || last.sequence !== undefined) return;
  const [now, before] = [exportedAt(cluster, manifest.export.key) ?? 0, exportedAt(cluster, last.key) ?? 0];
  if (now < before)
    throw doubt('exportIsOlder', `the export ${manifest.export.key} is older than ${last.key}, which was seen before`);
}

/** So many manifests between two looks are followed, each by one request. */
const LONGEST_WAY = 64;

/**
 * A cluster that has taken over has to know what was believed last: it is among the manifests that its own follow on. What retention has
 * removed is not asked for. The cluster that wrote it may go on from an older pointer that was put back.
 */
async function checkChain(verifying: Verifying, manifest: Manifest, newest: ManifestReference): Promise<void> {
  const { last } = verifying;
  if (last?.epoch === undefined || last.sequence === undefined) return;
  if (manifest.sequence === last.sequence) return checkSame(manifest, newest, last);
  const cluster = verifying.expected.cluster;
  const body = await find(verifying, manifestKey(cluster, last.epoch, last.sequence), LARGEST_RECORD);
  const before = body && readable(body, verifying);
  if (body === undefined || before === undefined) return;
  if (before.export.sha256 !== last.sha256) throw broken(manifest, last);
  if (before.epoch === manifest.epoch && before.clusterUid !== manifest.clusterUid)
    throw doubt('writerIsForeign', `the export ${manifest.sequence} is of another cluster than the one before`);
  if (before.clusterUid === manifest.clusterUid) return;
  if (!(await leadsTo(verifying, manifest, sha256(body)))) throw broken(manifest, last);
}

/** Nothing of one that was damaged since: it says no more than one that is gone. */
function readable(body: Buffer, verifying: Verifying): Manifest | undefined {
  try {
    return readManifest(body, believedOnce(verifying));
  } catch (error) {
    if (error instanceof RecordIsUnreadable) return undefined;
    throw error;
  }
}

function checkSame(manifest: Manifest, { sha256: hash }: ManifestReference, last: SeenExport): void {
  const isSame = manifest.export.sha256 === last.sha256 && (last.manifestSha256 ?? hash) === hash;
  if (manifest.epoch !== last.epoch || !isSame)
    throw doubt('exportWasReplaced', `export ${last.sequence} is another one than it was when it was seen first`);
}

const broken = ({ sequence }: Manifest, last: SeenExport) =>
  doubt('chainIsBroken', `export ${sequence} does not follow on ${last.sequence}, which was seen before`);

async function leadsTo(verifying: Verifying, from: Manifest, goal: string): Promise<boolean> {
  let { previous } = from;
  for (let steps = 0; previous && steps < LONGEST_WAY; steps += 1) {
    if (previous.sha256 === goal) return true;
    const body = await find(verifying, previous.key, LARGEST_RECORD);
    if (body === undefined || sha256(body) !== previous.sha256) return false;
    previous = readManifest(body, believedOnce(verifying)).previous;
  }
  return previous !== null;
}

/** What was believed then, or is named by its hash in what is believed now, need not be signed by a key that is trusted now. */
const believedOnce = ({ expected }: Verifying): Expected => ({ ...expected, isRequired: false });

/** Reads all of it before anybody acts on a part of it. */
export async function wholeDocument(
  plain: Buffer,
  manifest: Pick<Manifest, 'counts'> | undefined,
  signal: AbortSignal,
): Promise<Pick<VerifiedExport, 'document' | 'outline'>> {
  const document = readDocument(plain);
  const outline = await inTurns(outlining(document), signal);
  const { storageClasses, volumes, claims } = document.counts;
  const said = manifest?.counts;
  const isAsSaid =
    !said || (said.storageClasses === storageClasses && said.volumes === volumes && said.claims === claims);
  if (!isAsSaid) throw doubt('countsDiffer', 'the export has not as many objects as its manifest says');
  if (volumes === 0) throw doubt('exportHasNoVolumes', 'the export has no volumes in it');
  return { document, outline };
}

async function read(verifying: Verifying, key: string, most: number): Promise<Buffer> {
  const body = await find(verifying, key, most);
  if (body === undefined) throw new ExportIsMissing(`${key} is not in the store yet`);
  return body;
}

async function find({ store, signal }: Verifying, key: string, most: number): Promise<Buffer | undefined> {
  const got = await store.get(key, { most, signal });
  return got.kind === 'found' ? got.body : undefined;
}

const doubt = (...args: ConstructorParameters<typeof ExportIsDoubtful>) => new ExportIsDoubtful(...args);
