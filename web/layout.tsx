import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What a report says, as its own markup: every name in it was escaped by the report. `of` tells regions of the same name apart. */
export function Said({ markup, of }: { readonly markup: string; readonly of?: string }) {
  const region = 'role="region" aria-label="';
  const named = of === undefined ? markup : markup.replaceAll(region, `${region}${of}: `);
  return <div class="said" dangerouslySetInnerHTML={{ __html: named }} />;
}

interface WideProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** What may be wider than the page: it scrolls by itself, with the keyboard too. */
export function Wide({ label, children }: WideProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would have a section's looks.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}

/** A table whose rows become cards in a narrow window, where each cell says its column: it scrolls nowhere. */
export function Cards({ label, children }: WideProps) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const titles = Array.from(frame.current?.querySelectorAll("thead th") ?? [], ({ textContent }) => textContent);
    for (const cell of frame.current?.querySelectorAll<HTMLTableCellElement>("tbody td") ?? []) {
      cell.dataset.title = titles[cell.cellIndex] ?? "";
    }
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would have a section's looks.
    <div class="cards" ref={frame} role="group" aria-label={label}>
      {children}
    </div>
  );
}
