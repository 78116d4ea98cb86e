export { JsonBox } from './any.tsx';
export { KeyValueTable } from './compound.tsx';
export { CelEditor, CelField, TextField, TextValue, type FieldProps } from './expression.tsx';
export { Field } from './field.tsx';
export { Findings, Frame } from './frame.tsx';
export { applyEdit, diagnosticsAt, isExpression, isObject, pointerOf, type Path } from './model.ts';
export { NumberField, NumberInput, PlainTextField, SelectField, SwitchField } from './simple.tsx';
export { SchemaForm, type SchemaFormProps } from './schema-form.tsx';
export { FormScopeProvider, useForm, type ExpressionHost, type FormScope, type OwnWidgets } from './scope.ts';
