/** Simplified Chinese of en.backup.ts. */
export const backup = {
  'settings.part.backup': '数据与备份',
  'backup.title': '备份',
  'backup.hint': '一个文件，包含历史、审计链、设置和库，在 Signalbox 运行时创建。其中不包含机密。',
  'backup.every': '备份频率',
  'backup.never': '从不',
  'backup.hours.other': '每 {n} 小时',
  'backup.days.other': '每 {n} 天',
  'backup.folder': '文件夹',
  'backup.choose': '选择…',
  'backup.keep': '保留的备份数',
  'backup.none': '尚未创建备份。',
  'backup.last': '上次备份：{at}，{file}。',
  'backup.next': '下次：{at}。',
  'backup.failed': '最近一次尝试失败，将在一小时内重试：{error}',
  'backup.set': '备份计划已保存',
  'backup.folderHttp': '请在这台计算机上选择文件夹：在桌面窗口中，或使用 signalbox backup --every 24 FOLDER。',
};
