; Functions: free, and in a container

(ContainerDecl (Decl
  (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.method)
(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.function

; Types

(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl
    (ContainerDeclType "union") "{" @body))))) @definition.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl
    (ContainerDeclType "struct") "{" @body))))) @definition.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl
    (ContainerDeclType "opaque") "{" @body))))) @definition.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr (ContainerDecl
    (ContainerDeclType "enum") "{" @body))))) @definition.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name
  [
    (ErrorUnionExpr (SuffixExpr (ErrorSetDecl) @body))
    (BinaryExpr left: (ErrorUnionExpr (SuffixExpr (ErrorSetDecl) @body)))
  ])) @definition.enum

; Fields, enum values and errors

(ContainerField field_member: (IDENTIFIER) @name @access.public) @definition.field
(ContainerField !field_member
  . (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name @access.public .))) @definition.constant
(ErrorSetDecl field_constant: (IDENTIFIER) @name @definition.constant @access.public)

; Constants and variables of the file or a container, but not imports

(source_file (Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name
  (_) @_value .) @definition.constant
  (#not-match? @_value "^@(?:import|cImport)\\b")))
(ContainerDecl (Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name
  (_) @_value .) @definition.constant
  (#not-match? @_value "^@(?:import|cImport)\\b")))
(source_file (Decl (VarDecl "var" variable_type_function: (IDENTIFIER) @name))
  @definition.variable)
(ContainerDecl (Decl (VarDecl "var" variable_type_function: (IDENTIFIER) @name))
  @definition.variable)

; Tests; one without a name is called `test`

(TestDecl [(STRINGLITERALSINGLE) (IDENTIFIER)] @name (Block) @body) @definition.function
(TestDecl "test" @name . (Block) @body) @definition.function

(Decl "export" @access.public (FnProto)) @definition.function
("pub" @wrap @access.public . (Decl (FnProto)) @definition.function)
("pub" @wrap @access.public . (Decl (VarDecl)) @definition.constant)

; Calls

(SuffixExpr . variable_type_function: (IDENTIFIER) @name . (FnCallArguments)) @call
((_) @receiver . (FieldOrFnCall function_call: (IDENTIFIER) @name)) @call

; Types of parameters, results, fields and initialisers

([
  (ParamType (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name .)))
  (FnProto (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name .)))
  (ContainerField field_member: (_)
    (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name .)))
] @type (#match? @name "^[A-Z]"))

; Functions that are handed on
(FnCallArguments (ErrorUnionExpr (SuffixExpr) @handed))
(FnCallArguments (UnaryExpr (ErrorUnionExpr (SuffixExpr) @handed)))
(FieldInit (ErrorUnionExpr (SuffixExpr) @handed))
(AssignExpr (AssignOp) (ErrorUnionExpr (SuffixExpr) @handed))
(Statement (VarDecl variable_type_function: (IDENTIFIER) @local))
(PtrPayload variable: (IDENTIFIER) @local)
(PtrListPayload variable: (IDENTIFIER) @local)
(FieldInit (UnaryExpr (ErrorUnionExpr (SuffixExpr) @handed)))
(VarDecl variable_type_function: (IDENTIFIER) @to
  (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) .) @from))

; Imports: a file, or something in it

(VarDecl variable_type_function: (IDENTIFIER) @alias
  (ErrorUnionExpr (SuffixExpr
    . (BUILTINIDENTIFIER) @_import . (FnCallArguments (ErrorUnionExpr
      (SuffixExpr (STRINGLITERALSINGLE) @module))) .) @import)
  (#eq? @_import "@import"))
(VarDecl variable_type_function: (IDENTIFIER) @alias
  (ErrorUnionExpr (SuffixExpr
    . (BUILTINIDENTIFIER) @_import . (FnCallArguments (ErrorUnionExpr
      (SuffixExpr (STRINGLITERALSINGLE) @module)))
    . (FieldOrFnCall field_access: (IDENTIFIER) @name) .) @import)
  (#eq? @_import "@import"))
(SuffixExpr
  . (BUILTINIDENTIFIER) @_import . (FnCallArguments (ErrorUnionExpr
    (SuffixExpr (STRINGLITERALSINGLE) @module)))
  (#eq? @_import "@import")) @import

[
  (line_comment)
  (doc_comment)
] @comment
