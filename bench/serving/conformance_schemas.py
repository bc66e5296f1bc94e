"""JSON Schemas that the conformance suite wants to see: of its tools, and of what they ask."""

from __future__ import annotations

from typing import Any

NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


def _object(**properties: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"type": "object", "properties": properties}


ELICITED: dict[str, dict[str, Any]] = {
    "": {**_object(response={"type": "string", "description": "Yours"}), "required": ["response"]},
    "sep1034_defaults": _object(
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    ),
    "sep1330_enums": _object(
        untitledSingle={"type": "string", "enum": ["option1", "option2", "option3"]},
        titledSingle={
            "type": "string",
            "oneOf": [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)],
        },
        legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["One", "Two"]},
        untitledMulti={
            "type": "array",
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
        },
        titledMulti={
            "type": "array",
            "items": {"anyOf": [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2)]},
        },
    ),
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_sampling": {**_object(prompt={"type": "string"}), "required": ["prompt"]},
    "test_elicitation": {**_object(message={"type": "string"}), "required": ["message"]},
    "test_x_mcp_header": _object(region={"type": "string", "x-mcp-header": "Region"}),
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}
