"""What can be asked. One file an operation: params, result, handler, and its table for readers.

Every surface, the schemas, the documentation and the types are made from `operation.operations`.
Imports nothing: a shell that asks another process needs few of the modules.
"""
