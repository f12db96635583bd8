"""Drivers that ensue ships: what provisions the resources of a deployment.

A file for each, with the functions of `ensue.contracts.driver.Driver`. `humanitec/NAME` means the same
driver as `NAME`, but for `humanitec/template`, which renders Go templates where `template` renders Jinja.
"""
