/** One node: every device and every volume group, in pictures and in words. */
import type { NodeRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Empty } from '../../parts/empty.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/section.tsx';
import { count } from '../../words/numbers.ts';
import { DeviceCard } from './device-card.tsx';
import { DeviceStrip } from './device-strip.tsx';
import { Doubt } from './doubt.tsx';
import { GroupBar } from './group-bar.tsx';
import { LogicalVolumes } from './logical-volumes.tsx';
import { remarksOf } from './remarks.ts';

export function NodeView({ name, node }: { readonly name: string; readonly node: NodeRow | undefined }) {
  const page = usePage();
  return (
    <article>
      <a class="back" href={addressIn(page, { view: 'nodes' })}>
        <Icon name="back" /> Nodes
      </a>
      <header class="view-head">
        <h1 class="name">{name}</h1>
      </header>
      {node ? <Storage node={node} /> : <Empty icon="nodes" title="There is no such node, or no longer" />}
    </article>
  );
}

function Storage({ node }: { readonly node: NodeRow }) {
  const { health, isReady, zone, devices, groups, otherVolumes = [], heard, doubts = {} } = node;
  const remarks = remarksOf(node);
  return (
    <>
      <ul class="summary">
        <li>
          <HealthMark health={health} />
        </li>
        <li>
          <HealthMark health={isReady ? 'well' : 'failed'}>{isReady ? 'Ready' : 'Not ready'}</HealthMark>
        </li>
        {zone !== undefined && <li>{zone}</li>}
        {heard.devices !== undefined && (
          <li class="quiet-text">
            devices heard <Ago at={heard.devices} />
          </li>
        )}
        {heard.lvm !== undefined && (
          <li class="quiet-text">
            lvm heard <Ago at={heard.lvm} />
          </li>
        )}
      </ul>
      {remarks.length > 0 && (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
      <Section title="Devices" aside={<span class="count">{count(devices.length)}</span>}>
        <Doubt why={doubts.devices} of="devices" isEmpty={devices.length === 0} />
        {devices.length === 0 ? (
          doubts.devices === undefined && <p class="calm quiet-text">The devices job looks after none here.</p>
        ) : (
          <>
            <DeviceStrip devices={devices} />
            <ul class="device-cards">
              {devices.map((device) => (
                <DeviceCard key={device.path} device={device} />
              ))}
            </ul>
          </>
        )}
      </Section>
      <Section title="Volume groups" aside={<span class="count">{count(groups.length)}</span>}>
        <Doubt why={doubts.lvm} of="volume groups" isEmpty={groups.length === 0} />
        {groups.length === 0 ? (
          doubts.lvm === undefined && <p class="calm quiet-text">The lvm job looks after none here.</p>
        ) : (
          <ul class="group-cards">
            {groups.map((group) => (
              <li class="card" key={group.name}>
                <GroupBar group={group} />
                <LogicalVolumes volumes={group.volumes} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      {otherVolumes.length > 0 && (
        <Section
          title="Logical volumes in no group yet"
          aside={<span class="count">{count(otherVolumes.length)}</span>}
        >
          <div class="card">
            <LogicalVolumes volumes={otherVolumes} />
          </div>
        </Section>
      )}
    </>
  );
}
