/** What a program is made of and what the machine must have that runs it. */
import type { ReactNode } from 'react';
import type { Commands, NodeDescriptor, Workflow } from '../../api/types.ts';
import { Pieces } from '../../code/pieces.tsx';
import { formatNumber, t, tn } from '../../i18n/index.ts';

type List = NonNullable<Commands['workflow_export_check']['response']['checkList']>;

const MODULES = ['brokers', 'connectors', 'core', 'databases', 'documents', 'failures', 'files', 'http', 'mail', 'model', 'people', 'retrieval', 'script', 'tools', 'triggers'] as const;
type Module = (typeof MODULES)[number];
const isKnown = (name: string): name is Module => (MODULES as readonly string[]).includes(name);

const MB = 1_000_000;
/** At least a tenth, as the command line says it. */
export const sizeText = (bytes: number): string => t('export.mb', { n: formatNumber(Math.max(1, Math.round(bytes / (MB / 10))) / 10) });

interface Need { label: string; text: string; steps?: readonly string[] }

function needsOf({ needs, callback }: List, kindOf: (type: string) => string): Need[] {
  const to = ({ hosts, stays }: (typeof needs.secrets)[number]) => (stays ? t('export.secretStays') : hosts.length === 0 ? t('export.secretOpen') : t('export.secretTo', { hosts: hosts.join(', ') }));
  const triggers = needs.triggers ?? [];
  return [
    ...needs.params.map((text) => ({ label: t('export.need.param'), text })),
    ...needs.secrets.map((one) => ({ label: t('export.need.secret'), text: `${one.name}, ${to(one)}`, steps: one.steps })),
    ...needs.folders.map((one) => ({ label: t('export.need.folder'), text: t(one.write ? 'export.folderWrite' : 'export.folderRead', { path: one.path }), steps: [one.step] })),
    ...needs.addresses.map((one) => ({ label: t('export.need.address'), text: one.origin ?? t('export.addressOpen'), steps: one.steps })),
    ...(needs.models ?? []).map((one) => ({ label: t('export.need.model'), text: [one.model ?? t('export.modelDefault'), one.provider].filter(Boolean).join(', '), steps: one.steps })),
    ...(needs.toolServers ?? []).map((one) => ({ label: t('export.need.tools'), text: `${one.name}, ${tn('export.tools', Object.keys(one.tools).length)}`, steps: one.steps })),
    ...(needs.indexes ?? []).map((one) => ({ label: t('export.need.index'), text: one.name, steps: one.steps })),
    ...triggers.map((one) => ({ label: t('export.need.trigger'), text: [kindOf(one.kind), one.by].filter(Boolean).join(', '), steps: [one.step] })),
    ...(triggers.some((one) => one.listens) || callback ? [{ label: t('export.need.port'), text: t('export.port') }] : []),
  ];
}

export function CheckList({ list, document, catalog, titleOf }: { list: List; document: Workflow; catalog: readonly NodeDescriptor[]; titleOf(stepId: string): string }) {
  const kindOf = (type: string) => catalog.find((one) => one.type === type)?.title ?? type;
  const stepOf = (name: string) => {
    const [workflow = '', step = ''] = [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)];
    return workflow === list.name && Object.hasOwn(document.nodes, step) ? titleOf(step) : name;
  };
  const needs = needsOf(list, kindOf);
  return (
    <>
      <Part title={t('export.needs')}>
        {needs.length === 0 ? <p className="s t2">{t('export.needsNothing')}</p> : (
          <ul className="xp-rows">
            {needs.map((one) => (
              <li key={`${one.label} ${one.text} ${one.steps?.join() ?? ''}`}>
                <span className="t2">{one.label}</span>
                <span className="col"><bdi><Pieces text={one.text} /></bdi>{one.steps === undefined ? null : <span className="s t3"><Pieces text={one.steps.map(stepOf).join(', ')} /></span>}</span>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={t('export.parts')}>
        <ul className="xp-rows">
          {list.modules.map((one) => (
            <li key={one.name}>
              <span className="t2">{isKnown(one.name) ? t(`export.module.${one.name}`) : one.name}</span>
              <span>{one.name === 'core' ? t('export.everyProgram') : one.kinds.map(kindOf).join(', ')}</span>
            </li>
          ))}
          {list.workflows.slice(1).map((one) => <li key={one.sha256}><span className="t2">{t('export.called')}</span><span>{one.id}</span></li>)}
          {list.connectors.map((one) => <li key={one.sha256}><span className="t2">{t('export.connector')}</span><span>{one.id}</span></li>)}
        </ul>
        <p className="s t2">{list.sizeBytes === undefined ? t('export.platform', { platform: list.platform }) : t('export.sizeOn', { size: sizeText(list.sizeBytes), platform: list.platform })}</p>
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return <section className="col gap1" aria-label={title}><h3>{title}</h3>{children}</section>;
}
