"""The drivers that make nothing outside keep the contract of a driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.deploy.drivers import echo, go_template, template
from ensue.testing.driver_contract import DriverContract, DriverSubject

if TYPE_CHECKING:
    from pathlib import Path

SECRETS = {"password": "correct-horse", "number": 20260101}


class TestEcho(DriverContract):
    """`echo` passes."""

    @pytest.fixture
    def subject(self, tmp_path: Path) -> DriverSubject:
        """Values and secrets that share a mapping."""
        return DriverSubject(
            driver=echo,
            directory=tmp_path,
            inputs={"values": {"host": "db", "deep": {"port": 5432}}, "secrets": {"deep": SECRETS}},
            other_inputs={"values": {"host": "other"}},
            wrong_inputs=[{"values": ["db"], "secrets": SECRETS}],
        )


class TestTemplate(DriverContract):
    """`template` passes."""

    @pytest.fixture
    def subject(self, tmp_path: Path) -> DriverSubject:
        """Each kind of template, with a random value that the cookie keeps."""
        templates = {
            "init": "{% if cookie %}{{ cookie | tojson }}{% else %}key: {{ random_text(20) }}{% endif %}",
            "cookie": "{{ init | tojson }}",
            "outputs": {"url": "http://{{ driver.values.host }}", "size": "{{ resource.size }}"},
            "secrets": "password: {{ driver.secrets.password | tojson }}\nkey: {{ init.key }}",
            "manifests": {"a.yaml": {"location": "namespace", "data": "kind: ConfigMap"}},
        }
        return DriverSubject(
            driver=template,
            directory=tmp_path,
            inputs={
                "values": {"host": "web", "templates": templates},
                "secrets": SECRETS,
                "params": {"size": 3},
            },
            other_inputs={"values": {"host": "other", "templates": templates}},
            wrong_inputs=[
                {"values": {"templates": {"outputs": outputs}}, "secrets": SECRETS}
                for outputs in (
                    "a: {{ driver.secrets.password }}: b",
                    "{{ driver.secrets.password }}",
                    "a: *{{ driver.secrets.password }}",
                    "{{ {}[driver.secrets.password] }}",
                    "{% for %}",
                    3,
                )
            ],
        )


class TestGoTemplate(DriverContract):
    """`humanitec/template` passes."""

    @pytest.fixture
    def subject(self, tmp_path: Path) -> DriverSubject:
        """Each kind of template, with a random value that the cookie keeps."""
        templates = {
            "init": "key: {{ if .cookie }}{{ .cookie.key }}{{ else }}{{ randAlphaNum 20 }}{{ end }}",
            "cookie": "{{ .init | toRawJson }}",
            "outputs": {"url": "http://{{ .driver.values.host }}", "size": "{{ .resource.size }}"},
            "secrets": "password: {{ .driver.secrets.password | toRawJson }}\nkey: {{ .init.key }}",
            "manifests": "a.yaml:\n  location: namespace\n  data: {kind: ConfigMap}",
        }
        return DriverSubject(
            driver=go_template,
            directory=tmp_path,
            inputs={
                "values": {"host": "web", "templates": templates},
                "secrets": SECRETS,
                "params": {"size": 3},
            },
            other_inputs={"values": {"host": "other", "templates": templates}},
            wrong_inputs=[
                {"values": {"templates": {"outputs": outputs}}, "secrets": SECRETS}
                for outputs in (
                    "a: {{ .driver.secrets.password }}: b",
                    "{{ .driver.secrets.password }}",
                    "{{ fail .driver.secrets.password }}",
                    "{{ add .driver.secrets.password 1 | fail }}",
                    "{{ if }}",
                )
            ],
        )
