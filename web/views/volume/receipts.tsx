/** That a device was wiped: when, how, and whether it was read back. */
import type { WipeReceipt } from '../../../src/console/model.ts';
import { Ago } from '../../parts/ago.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Section } from '../../parts/section.tsx';
import { bytes } from '../../words/bytes.ts';

export function Receipts({ receipts }: { readonly receipts: readonly WipeReceipt[] }) {
  if (receipts.length === 0) return null;
  return (
    <Section title="Wipe receipts">
      <ul class="receipts">
        {receipts.map((receipt) => (
          <li key={`${receipt.at} ${receipt.text}`}>
            <p class="receipt-head">
              <Verified verified={receipt.verified} />
              <b>{receipt.method}</b>
              {receipt.bytes !== undefined && <span>{bytes(receipt.bytes)}</span>}
              <span class="quiet-text">
                <Ago at={receipt.at} />
              </span>
            </p>
            <p class="receipt-text">{receipt.text}</p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Verified({ verified }: { readonly verified: boolean | undefined }) {
  if (verified === undefined) return <HealthMark health="unknown">Not said whether it was read back</HealthMark>;
  return verified ? (
    <HealthMark health="well">Read back</HealthMark>
  ) : (
    <HealthMark health="attention">Not read back</HealthMark>
  );
}
