"""The drivers that ensue ships; they provision the resources of a deployment.

Each has a file with the functions of `ensue.core.contracts.driver.Driver`. `humanitec/NAME` is the same
driver as `NAME`, except for `humanitec/template`, which renders Go templates where `template` renders Jinja.
"""
