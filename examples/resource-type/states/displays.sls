message:
  setting.present:
    - tgt: T@display
    - value: Welcome

brightness:
  setting.present:
    - tgt: T@display and G@model:outdoor
    - value: 100
