/** Why the word of an agent does not count: what is shown of it, or that nothing is shown, may be otherwise. */
import { HealthMark } from '../../parts/health-mark.tsx';

interface DoubtProps {
  /** One sentence. */
  readonly why: string | undefined;
  /** What it is about, in the plural. */
  readonly of: string;
  readonly isEmpty: boolean;
}

export function Doubt({ why, of, isEmpty }: DoubtProps) {
  if (why === undefined) return null;
  return (
    <p class="doubt">
      <HealthMark health="unknown">
        {isEmpty ? `Nobody can say which ${of} there are` : `These ${of} may be otherwise now`}
      </HealthMark>
      <span>{why}</span>
    </p>
  );
}
