import { useId, useRef, useState } from "preact/hooks";
import type { PageSource } from "../src/explore/questions.js";
import { Fault } from "./fields.js";
import { words } from "./words.js";

/** Where people come from: a file that is dropped or chosen, invented people, and with the local engine a place on this machine. */
export function SourceChooser(props: {
  readonly title: string;
  readonly sample: string;
  readonly native: boolean;
  /** With the file itself, where there is one. */
  readonly onSource: (source: PageSource, file?: File) => void;
}) {
  const { title, sample, native, onSource } = props;
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (file: File | null | undefined) => {
    if (file) onSource({ kind: "file", name: file.name, content: file }, file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same without a mouse.
    <div
      class={over ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
      <p>
        <b>{title}</b> <span class="aside">{words.dropNote}</span>
      </p>
      <p class="buttons">
        <button type="button" class="main" onClick={() => chooser.current?.click()}>
          {words.choose}
        </button>
        <button type="button" onClick={() => onSource({ kind: "sample" })}>
          {sample}
        </button>
      </p>
      <input
        ref={chooser}
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-label={title}
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          // The same file can be chosen again after it was changed.
          currentTarget.value = "";
        }}
      />
      {native && <PlaceForm onPlace={(place) => onSource({ kind: "place", place })} />}
    </div>
  );
}

function PlaceForm({ onPlace }: { readonly onPlace: (place: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [isEmpty, setEmpty] = useState(false);
  const id = useId();
  return (
    <form
      class="place"
      onSubmit={(event) => {
        event.preventDefault();
        const place = field.current?.value.trim() ?? "";
        setEmpty(place === "");
        if (place !== "") onPlace(place);
      }}
    >
      <label>
        {words.place}
        <input
          ref={field}
          type="text"
          spellcheck={false}
          autocomplete="off"
          placeholder={words.placeExample}
          aria-describedby={isEmpty ? id : undefined}
        />
        <Fault id={id} text={isEmpty ? words.wantsPlace : undefined} />
      </label>
      <button type="submit">{words.open}</button>
    </form>
  );
}
