import type { ComponentChildren } from "preact";

/** What a report says, as its own markup: every name in it was escaped by the report. */
export function Said({ markup }: { readonly markup: string }) {
  return <div class="said" dangerouslySetInnerHTML={{ __html: markup }} />;
}

/** What may be wider than the page: it scrolls by itself, with the keyboard too. */
export function Wide({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would have a section's looks.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
