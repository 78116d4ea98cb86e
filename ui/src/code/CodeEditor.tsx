import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, StateEffect, StateField, type ChangeSet, type Extension } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  placeholder as placeholderText,
  tooltips,
  type DecorationSet,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { afterPaint, runWaiting, settle } from './after-paint.ts';
import { celLanguage, kitHighlight, templateLanguage } from './cel-language';
import { expressionCompletion, insideTemplate, type LoadNames } from './completion';
import { draggedField, intoTemplate, isFieldDrag, replacedBy } from './field-drag';
import { styleNonce } from './style-nonce.ts';
import { dropFieldTarget, fieldTarget, setFieldTarget, type FieldTarget } from './field-target.ts';
import { t } from '../i18n/index.ts';
import { useLatest } from './use-latest.ts';
import './code.css';

export type CodeMode = 'cel' | 'template' | 'json' | 'javascript' | 'text';

export interface CodeEditorProps {
  value: string;
  /** The whole text, and what of it is new. */
  onChange: (text: string, inserted: string) => void;
  mode: CodeMode;
  label: string;
  /** Enter does nothing, pasted line breaks become spaces. */
  singleLine?: boolean;
  readOnly?: boolean;
  placeholder?: string;
  /** Asked once, when the editor comes to be. */
  wantsFocus?: (() => boolean) | undefined;
  names?: LoadNames | undefined;
  /** Place of an error, counted in characters from 0. */
  errorAt?: number | undefined;
  invalid?: boolean;
  describedBy?: string | undefined;
  /** A field dropped here; without it the expression is inserted at the drop. */
  onDropField?: ((expression: string) => void) | undefined;
  /** What of a dropped field is written into a text that knows no expressions. */
  droppedText?: ((expression: string) => string) | undefined;
  onBlur?: () => void;
  minLines?: number;
}

// A change that came from outside must not be reported back as typed.
const fromOutside = Annotation.define<boolean>();
const setError = StateEffect.define<number | null>();
const errorMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = transaction.docChanged ? Decoration.none : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(setError)) continue;
      const length = transaction.newDoc.length;
      if (effect.value === null || length === 0) next = Decoration.none;
      else {
        const from = Math.min(Math.max(0, effect.value), length - 1);
        next = Decoration.set([Decoration.mark({ class: 'cm-errorAt' }).range(from, from + 1)]);
      }
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const languages: Record<CodeMode, Extension> = {
  cel: [celLanguage, closeBrackets(), bracketMatching()],
  template: [templateLanguage],
  json: [json(), closeBrackets(), bracketMatching()],
  javascript: [javascript(), closeBrackets(), bracketMatching()],
  text: [],
};

const PASSING: ReadonlySet<string> = new Set(['Tab', 'Shift', 'Escape', 'Control', 'Alt', 'Meta', 'F5']);

const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
  const text = transaction.newDoc.toString().replace(/\s*\n\s*/g, ' ');
  return {
    changes: { from: 0, to: transaction.startState.doc.length, insert: text },
    selection: { anchor: text.length },
    annotations: fromOutside.of(transaction.annotation(fromOutside) === true),
  };
});

/** No expression begins with `=`: typed or pasted out of habit, it goes. More than one is a comparison whose left side is not there: it
 * stays, behind a space, because a stored `==` begins a text (K-08). */
const noEqualsFirst = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.annotation(fromOutside)) return transaction;
  const [first, spaces = '', signs = ''] = /^(\s*)(=+)\s*/.exec(transaction.newDoc.sliceString(0, 64)) ?? [''];
  if (signs === '' || (signs.length > 1 && spaces !== '')) return transaction;
  return [transaction, { changes: signs.length > 1 ? { from: 0, insert: ' ' } : { from: 0, to: first.length }, sequential: true }];
});

/** What was put in by a change; empty when it only took away. */
function insertedBy(changes: ChangeSet): string {
  let text = '';
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => { text += inserted.toString(); });
  return text;
}

/** One field or a whole box of code. Text goes in and out as a string; nothing in it is ever run here. */
export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useLatest(props);
  const { mode, singleLine = false, label, readOnly = false, invalid = false, describedBy, placeholder = '' } = props;
  const attributes = useRef(new Compartment());
  const editable = useRef(new Compartment());

  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const template = mode === 'template';
    const withNames = mode === 'cel' || template;
    const indents = !singleLine && (mode === 'json' || mode === 'javascript');
    /** A field of the data, dropped here or chosen by keys. */
    const putField = (editor: EditorView, expression: string, at: number) => {
      if (latest.current.readOnly) return;
      if (latest.current.onDropField) {
        latest.current.onDropField(expression);
        return;
      }
      const text = editor.state.doc.toString();
      // Braces that are open are being typed: they are closed by whoever types.
      const isOpen = mode === 'template' && insideTemplate(text.slice(0, at)) && !text.slice(at).includes('}}');
      const { from, to, insert } = mode === 'template' && !isOpen ? intoTemplate(text, at, expression) : { ...(mode === 'cel' ? replacedBy(text, at) : { from: at, to: at }), insert: withNames ? expression : latest.current.droppedText?.(expression) ?? expression };
      editor.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
      editor.focus();
    };
    const target: FieldTarget = { get label() { return latest.current.label; }, insert: (expression) => { if (view.current) putField(view.current, expression, view.current.state.selection.main.head); } };
    const aim = () => { if ((withNames || latest.current.droppedText) && !latest.current.readOnly) setFieldTarget(target); };
    const load: LoadNames = async () => (await latest.current.names?.()) ?? [];
    const owner = {};
    /** What was typed and not told yet. */
    let typed: ChangeSet | null = null;
    const report = () => {
      const changes = typed;
      typed = null;
      if (changes) latest.current.onChange(created.state.doc.toString(), insertedBy(changes));
    };
    const created = new EditorView({
      parent,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          // Tab leaves a field; in a box of code it indents, and leaves it after Esc.
          indents ? keymap.of([indentWithTab]) : [],
          keymap.of([
            ...(withNames ? completionKeymap : []),
            ...(singleLine ? [{ key: 'Enter', run: () => true }] : []),
            ...closeBracketsKeymap,
            ...historyKeymap,
            // That sends what a form holds; a blank line is made by Enter.
            ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
          ]),
          history(),
          highlightSpecialChars(),
          EditorView.lineWrapping,
          languages[mode],
          syntaxHighlighting(kitHighlight),
          errorMark,
          placeholder ? placeholderText(placeholder) : [],
          withNames
            ? [
                autocompletion({ override: [expressionCompletion(load, template)], icons: false, maxRenderedOptions: 60 }),
                tooltips({ parent: document.body, position: 'fixed' }),
              ]
            : [],
          singleLine ? oneLine : [],
          mode === 'cel' ? noEqualsFirst : [],
          attributes.current.of([]),
          editable.current.of([]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            if (update.transactions.some((t) => t.annotation(fromOutside))) return;
            typed = typed?.compose(update.changes) ?? update.changes;
            // What `=` begins may be another editor, which takes over at once.
            if (!update.transactions.some((one) => one.isUserEvent('input.type') || one.isUserEvent('delete')) || update.state.sliceDoc(0, 1) === '=') report();
            else afterPaint(owner, report);
          }),
          EditorView.domEventHandlers({
            blur: () => {
              runWaiting();
              latest.current.onBlur?.();
            },
            // Who only passes by with Tab did not mean this one.
            focus: () => { if (fieldTarget() === null) aim(); },
            mousedown: () => aim(),
            keydown: (event) => { if (!PASSING.has(event.key)) aim(); },
            dragover(event) {
              if (!isFieldDrag(event.dataTransfer)) return false;
              event.preventDefault();
              return true;
            },
            drop(event, editor) {
              const expression = draggedField(event.dataTransfer);
              if (expression === null) return false;
              event.preventDefault();
              putField(editor, expression, editor.posAtCoords({ x: event.clientX, y: event.clientY }) ?? editor.state.doc.length);
              return true;
            },
          }),
        ],
      }),
    });
    view.current = created;
    if (latest.current.wantsFocus?.()) {
      created.focus();
      created.dispatch({ selection: { anchor: created.state.doc.length } });
    }
    return () => {
      dropFieldTarget(target);
      settle(owner);
      created.destroy();
      view.current = null;
    };
  }, [mode, singleLine, placeholder, latest]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === props.value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: props.value },
      annotations: fromOutside.of(true),
    });
  }, [props.value]);

  useEffect(() => {
    const editor = view.current;
    // Each key takes the mark away by itself: without one there is nothing to do.
    if (!editor || (props.errorAt === undefined && editor.state.field(errorMark).size === 0)) return;
    editor.dispatch({ effects: setError.of(props.errorAt ?? null) });
  }, [props.errorAt, props.value]);

  useEffect(() => {
    view.current?.dispatch({
      effects: [
        attributes.current.reconfigure(
          EditorView.contentAttributes.of({
            'aria-label': label,
            'aria-multiline': String(!singleLine),
            ...(!singleLine && (mode === 'json' || mode === 'javascript') ? { 'aria-description': t('expr.tabLeaves') } : {}),
            ...(invalid ? { 'aria-invalid': 'true' } : {}),
            ...(describedBy ? { 'aria-describedby': describedBy } : {}),
          }),
        ),
        editable.current.reconfigure([EditorView.editable.of(!readOnly), EditorState.readOnly.of(readOnly)]),
      ],
    });
  }, [label, singleLine, invalid, describedBy, readOnly, mode, placeholder]);

  const style = props.minLines ? { minHeight: `${props.minLines * 16 + 12}px` } : undefined;
  return <div ref={host} className={`code ${singleLine ? 'code-line' : 'code-box'}`} style={style} data-mode={mode} />;
}
