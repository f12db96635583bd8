"""The schemas that definitions have for the params of their resources (`params_schema`).

`reading` checks a schema when its definition is loaded, `defaults` fills in what params leave out, `judging`
reports params that do not satisfy their schema, `listing` describes a schema for developers, and `examples`
makes up params for them. Regular
expressions are matched in linear time, because the texts that they are matched with are the developers'.

Source: JSON Schema, draft 2020-12.
"""

from ensue.deploy.provisioning.params_schemas.defaults import with_defaults
from ensue.deploy.provisioning.params_schemas.examples import example_params
from ensue.deploy.provisioning.params_schemas.judging import judged
from ensue.deploy.provisioning.params_schemas.listing import ListedParam, listed_params
from ensue.deploy.provisioning.params_schemas.reading import read_params_schema
from ensue.deploy.provisioning.params_schemas.schema import ParamsSchema

__all__ = [
    "ListedParam", "ParamsSchema", "example_params", "judged", "listed_params", "read_params_schema",
    "with_defaults",
]  # fmt: skip
