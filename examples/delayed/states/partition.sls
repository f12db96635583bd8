# The image of a disk gets one partition. Its start and its size are given, its UUID is random. The block reads the partition
# table and attaches a loop device for each partition; the kernel chooses which one. The inner block reads the UUID of the new
# file system and records it.
#
# Loop devices need root. Where they are not permitted, the state says so and asks no device.
{% set out = opts['root_dir'] ~ '/out' %}
{% set image = out ~ '/disk.img' %}

disk:
  cmd.run:
    # What `sfdisk` would write: a random signature (at 440), one partition of type 0x83 from sector 2048 on,
    # 12288 sectors long (at 446), and the mark of a partition table (at 510).
    - name: |
        mkdir -p '{{ out }}'
        truncate --size 8M '{{ image }}.new'
        put() { dd of='{{ image }}.new' bs=1 seek="$1" conv=notrunc status=none; }
        head -c 4 /dev/urandom | put 440
        printf '\000\000\000\000\203\000\000\000\000\010\000\000\000\060\000\000' | put 446
        printf '\125\252' | put 510
        mv '{{ image }}.new' '{{ image }}'
    - creates: {{ image }}
    - delayed_render:
      - block: partitions

#!delayed_block partitions scoped
{% set table = salt['cmd.run']('partx --show --noheadings --output NR,START,SECTORS,UUID ' ~ image) %}
{% for partition in table.splitlines() %}
{% set number, start, sectors, uuid = partition.split() %}
partition {{ number }}:
  cmd.run:
    - name: |
        PATH=$PATH:/usr/sbin:/sbin
        if ! device=$(losetup --find --show --offset {{ start | int * 512 }} --sizelimit {{ sectors | int * 512 }} '{{ image }}' 2>&1)
        then
          printf '{"skipped": "no loop device may be attached here"}'
          exit
        fi
        trap 'losetup --detach "$device"' EXIT
        blkid --probe "$device" > '{{ out }}/blkid.log' || mkfs.ext4 -q -L data "$device"
        printf '{"number": %s, "partition": "%s", "device": "%s", "filesystem": "%s"}' \
          {{ number | quote }} {{ uuid | quote }} "$device" "$(blkid --probe --match-tag UUID --output value "$device")"
    - delayed_render:
      - block: filesystem

  #!delayed_block filesystem scoped delayed_repeat_limit=None
  {% set found = prev_ret.new_state.stdout_json %}
  {% if 'skipped' in found %}
  skipped:
    test.show_notification:
      - text: "skipped: {{ found.skipped }}"
  {% else %}
  {{ out }}/partition-{{ found.number }}.fstab:
    file.managed:
      - contents:
        - "# partition {{ found.partition }}"
        - UUID={{ found.filesystem }} /srv/data ext4 noatime 0 2
  {% endif %}
  #!end_delayed_block filesystem
{% endfor %}
#!end_delayed_block partitions
