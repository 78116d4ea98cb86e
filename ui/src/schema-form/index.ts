export { JsonBox } from './any.tsx';
export { KeyValueTable } from './compound.tsx';
export { CelEditor, TextField, ToExpression } from './expression.tsx';
export { Field } from './field.tsx';
export { FieldFrame, Findings, Frame, type FieldProps } from './frame.tsx';
export { OfferedText } from './offered.tsx';
export { diagnosticsAt, isExpression, pointerOf, toExpression, type Path } from './model.ts';
export { SchemaForm } from './schema-form.tsx';
export { FormScopeProvider, useForm, type ExpressionHost, type FormScope, type OwnFieldProps, type OwnWidgets } from './scope.ts';
