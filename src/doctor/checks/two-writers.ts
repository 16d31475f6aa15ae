/** Whether somebody else does the same as we do: an original that was left running, or a second installation. Two of them undo each other's work, or wipe each other's disks. */
import type { PersistentVolume } from '../../api/persistent-volumes.ts';
import { ago } from '../../kit/in-words.ts';
import type { Lease } from '../../kit/lead/lease.ts';
import type { Cluster } from '../cluster.ts';
import { type Check, type Finding, unknown, verdictOn } from '../finding.ts';
import { ORIGINALS, type Original } from '../originals.ts';
import { inWords, JOBS, type Writer } from '../writers.ts';

export const oneWriterPerJob: Check<Cluster> = {
  name: 'two-writers',
  judge({ writers }) {
    if (!writers.known) return unknown(writers.why);
    const running = writers.value.filter(({ runs }) => runs);
    const findings = JOBS.flatMap((job) => ofJob(running.filter((each) => each.job === job)));
    return verdictOn(findings, `${running.length} of them run, each job once`);
  },
};

function ofJob(writers: readonly Writer[]): readonly Finding[] {
  const ours = writers.filter(({ who }) => who === 'holdfast');
  const others = writers.filter(({ who }) => who !== 'holdfast');
  const [first, ...more] = ours;
  return [
    ...others.map((other) => (first ? beside(other, first) : alone(other))),
    ...(first ? more.map((other) => twice(other, first)) : []),
  ];
}

const beside = (other: Writer, ours: Writer): Finding => ({
  severity: other.who === 'original' ? 'error' : 'warning',
  subject: inWords(other),
  evidence: `it ${other.who === 'original' ? 'is' : 'looks like'} ${other.original} (image ${other.image}), and ${inWords(ours)} does the same job, ${other.job}`,
  remedy: `Let only one of them run: kubectl -n ${other.namespace} delete ${other.kind.toLowerCase()} ${other.name} (volumes and data stay)`,
});

const alone = (other: Writer): Finding => ({
  severity: 'info',
  subject: inWords(other),
  evidence: `it ${other.who === 'original' ? 'is' : 'looks like'} ${other.original}, and Holdfast does not do its job, ${other.job}, here`,
  remedy: `Nothing is wrong. To let Holdfast take its place: docs/migration.md, with charts/holdfast/values/${valuesOf(other)}`,
});

const twice = (other: Writer, first: Writer): Finding => ({
  severity: 'error',
  subject: inWords(other),
  evidence: `it does the same job, ${other.job}, as ${inWords(first)}`,
  remedy: 'Let only one of them run: uninstall one of the two releases (volumes and data stay)',
});

const valuesOf = ({ job }: Writer): string => ORIGINALS.find((each) => each.job === job)?.values ?? '';

/** A lease that somebody holds is renewed every few seconds. */
const HELD_MS = 60_000;

export const noOriginalHoldsItsLease: Check<Cluster> = {
  name: 'leases-of-originals',
  judge({ leases, now }) {
    if (!leases.known) return unknown(leases.why);
    const findings = ORIGINALS.flatMap((original) =>
      leases.value
        .filter(({ metadata }) => metadata.name === original.lease)
        .flatMap((lease) => held(lease, original, now)),
    );
    return verdictOn(findings, 'no original holds a lease');
  },
};

function held({ metadata, spec }: Lease, { name, job }: Original, now: Date): readonly Finding[] {
  const ageMs = now.getTime() - Date.parse(spec?.renewTime ?? '');
  const holder = spec?.holderIdentity ?? '';
  if (holder === '' || !(ageMs < HELD_MS)) return [];
  return [
    {
      severity: 'warning',
      subject: `lease ${metadata.namespace}/${metadata.name}`,
      evidence: `${holder} holds it for ${name}, and renewed it ${ago(Math.max(0, ageMs))}: that one does the job ${job}`,
      remedy: `Before holdfast ${job} is started, take that one away`,
    },
  ];
}

/** Who has written within this time may well still run. */
const RECENT_MS = 3_600_000;

export const noOriginalWrites: Check<Cluster> = {
  name: 'writes-of-originals',
  judge({ volumes, writers, now }) {
    if (!volumes.known) return unknown(volumes.why);
    if (!writers.known) return unknown(writers.why);
    const findings = ORIGINALS.flatMap((original) => {
      const isOurs = writers.value.some(({ job, who, runs }) => job === original.job && who === 'holdfast' && runs);
      return isOurs ? written(volumes.value, original, now) : [];
    });
    return verdictOn(findings, 'none has written to a volume within the last hour beside us');
  },
};

function written(
  volumes: readonly PersistentVolume[],
  { name, job, managers }: Original,
  now: Date,
): readonly Finding[] {
  const recent = volumes.filter(({ metadata }) =>
    (metadata.managedFields ?? []).some(
      ({ manager = '', time = '' }) => managers.includes(manager) && now.getTime() - Date.parse(time) < RECENT_MS,
    ),
  );
  if (recent.length === 0) return [];
  const names = recent.map(({ metadata }) => metadata.name);
  return [
    {
      severity: 'warning',
      subject: name,
      evidence: `it wrote to ${recent.length} volumes within the last hour, such as ${names.slice(0, 3).join(', ')}, and holdfast ${job} runs`,
      remedy:
        'If it was replaced within that hour all is well; otherwise look for where it still runs, perhaps outside of the cluster',
    },
  ];
}
